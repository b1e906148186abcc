/** The values of the step that is pointed at; and the same in words, for screen readers. */
import type { RefObject } from 'react'
import { CHART_TEXTS } from '../../texts/chart.ts'
import { sum } from '../numbers.ts'
import { toInterval } from './clock.ts'
import type { Line, PlotProps } from './plot-options.ts'
import { Swatch } from './swatch.tsx'

const T = CHART_TEXTS

type TooltipProps = PlotProps & Readonly<{ place: number; left: number; frame: RefObject<HTMLElement | null> }>

/** It stands beside the step, on the side with more room. */
export function Tooltip(props: TooltipProps) {
  const { span, steps, place, left, frame } = props
  const isRight = left > (frame.current?.clientWidth ?? 0) / 2
  return (
    <div className={`chart-tooltip ${isRight ? 'on-left' : ''}`} style={{ left }} aria-hidden="true">
      <strong className="nums">{toInterval(steps[place] ?? 0, span)}</strong>
      <dl>
        {rowsOf(props, place).map(({ name, line, value }) => (
          <div key={name}>
            <dt>
              {line !== undefined && <Swatch line={line} />}
              {name}
            </dt>
            <dd className="nums">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** `9:00 – 9:30 PM: delivered 12, failed 1` */
export const toWords = (props: PlotProps, place: number): string => {
  const values = rowsOf(props, place).map(({ name, value }) => `${name} ${value}`)
  return `${toInterval(props.steps[place] ?? 0, props.span)}: ${values.join(', ')}`
}

type Row = Readonly<{ name: string; line?: Line; value: string }>

/** Stacked values from the top down, as they are drawn, and their sum. */
function rowsOf({ kind, lines, format }: PlotProps, place: number): readonly Row[] {
  const toRow = (line: Line): Row => ({ name: line.name, line, value: valueAt(line, place, format) })
  if (kind !== 'stack') return lines.map(toRow)
  const stacked = lines.filter(({ compared }) => compared !== true)
  const total = { name: T.total, value: format(sum(stacked.map(({ values }) => values[place] ?? 0))) }
  const compared = lines.filter((line) => line.compared === true)
  return [...stacked.toReversed().map(toRow), ...(stacked.length > 1 ? [total] : []), ...compared.map(toRow)]
}

export const valueAt = ({ values }: Line, place: number, format: (value: number) => string): string => {
  const value = values[place]
  return value === null || value === undefined ? T.nothing : format(value)
}
