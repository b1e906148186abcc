/** A chart with its title, summary, legend and a table of its values. */
import { lazy, memo, Suspense, useState } from 'react'
import { TEXTS } from '../../texts.ts'
import { type Span, toMoment } from './clock.ts'
import type { Kind, Line } from './plot-options.ts'

const T = TEXTS.overview.chart
/** Loaded with the first chart. */
const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))
const HEIGHT = 190

type ChartProps = Readonly<{
  title: string
  summary: string
  kind: Kind
  span: Span
  steps: readonly number[]
  lines: readonly Line[]
  format: (value: number) => string
  /** The legend values while nothing is pointed at. */
  atRest: Readonly<{ name: string; values: readonly (number | null)[] }>
  group?: string
  className?: string
}>

export function Chart(props: ChartProps) {
  const { title, summary, kind, span, steps, lines, group = title, className = '' } = props
  const [place, setPlace] = useState<number>()
  return (
    <section className={`card chart ${className}`}>
      <h2>{title}</h2>
      <p className="soft">{summary}</p>
      <Suspense fallback={<div style={{ height: HEIGHT }} />}>
        <Plot
          kind={kind}
          label={`${title}. ${summary}`}
          height={HEIGHT}
          span={span}
          steps={steps}
          lines={lines}
          group={group}
          onPoint={setPlace}
        />
      </Suspense>
      <Legend {...props} place={place} />
      <AsTable {...props} />
    </section>
  )
}

const formatValue = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? T.nothing : format(value)

function Legend({ lines, steps, span, format, atRest, place }: ChartProps & Readonly<{ place: number | undefined }>) {
  const start = place === undefined ? undefined : steps[place]
  return (
    <ul className="legend">
      <li className="soft nums">{start === undefined ? atRest.name : toMoment(start, span)}</li>
      {lines.map(({ name, colour, dashed, values }, number) => (
        <li key={name}>
          <span className={`swatch ${dashed ? 'dashed' : ''}`} style={{ color: colour }} />
          {name}{' '}
          <strong className="nums">
            {formatValue(start === undefined ? atRest.values[number] : values[place ?? 0], format)}
          </strong>
        </li>
      ))}
    </ul>
  )
}

function AsTable(props: ChartProps) {
  const [open, setOpen] = useState(false)
  return (
    <details className="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {T.asTable} <span className="visually-hidden">{props.title}</span>
      </summary>
      {open && <Values {...props} />}
    </details>
  )
}

/** Newest first, without empty steps. */
const Values = memo(function Values({ title, steps, span, lines, format }: ChartProps) {
  const places = steps.map((_, place) => place).filter((place) => lines.some(({ values }) => (values[place] ?? 0) > 0))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="table-wrap" tabIndex={0} aria-label={T.tableOf(title)}>
      <table className="table nums">
        <thead>
          <tr>
            <th scope="col">{T.time}</th>
            {lines.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.reverse().map((place) => (
            <tr key={steps[place]}>
              <th scope="row">{toMoment(steps[place] ?? 0, span)}</th>
              {lines.map(({ name, values }) => (
                <td key={name}>{formatValue(values[place], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
})
