/** A chart with its title, summary, legend and a table of its values. */
import '../../styles/chart.css'
import { lazy, memo, Suspense, useState } from 'react'
import { CHART_TEXTS } from '../../texts/chart.ts'
import { type Span, toMoment } from './clock.ts'
import type { Kind, Line } from './plot-options.ts'
import { Swatch } from './swatch.tsx'

const T = CHART_TEXTS
/** Loaded with the first chart. */
const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))
const HEIGHT = 200

export type ChartProps = Readonly<{
  title: string
  summary: string
  kind: Kind
  span: Span
  steps: readonly number[]
  lines: readonly Line[]
  format: (value: number) => string
  /** The values of the legend. */
  totals?: readonly (number | null)[]
  group?: string
  className?: string
}>

export function Chart(props: ChartProps) {
  const { title, summary, kind, span, steps, lines, format, group = title, className = '' } = props
  return (
    <section className={`card chart ${className}`}>
      <h2>{title}</h2>
      <p className="soft chart-summary">{summary}</p>
      <Suspense fallback={<div className="plot" style={{ height: HEIGHT }} />}>
        <Plot
          kind={kind}
          label={`${title}. ${summary}`}
          height={HEIGHT}
          span={span}
          steps={steps}
          lines={lines}
          format={format}
          group={group}
        />
      </Suspense>
      <div className="chart-foot">
        <Legend {...props} />
        <AsTable {...props} />
      </div>
    </section>
  )
}

const formatValue = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? T.nothing : format(value)

const Legend = ({ lines, totals, format }: ChartProps) => (
  <ul className="legend">
    {lines.map((line, number) => (
      <li key={line.name}>
        <Swatch line={line} />
        {line.name} {totals !== undefined && <strong className="nums">{formatValue(totals[number], format)}</strong>}
      </li>
    ))}
  </ul>
)

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
            {lines.map((line) => (
              <th key={line.name} scope="col">
                <Swatch line={line} />
                {line.name}
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
