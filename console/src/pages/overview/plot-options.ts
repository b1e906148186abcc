/** uPlot options: stacked bars or lines, with one time axis for all charts. */
import uPlot, { type Axis, type Options, type Scale, type Series } from 'uplot'
import { toShare, toShortCount } from '../../ui/numbers.ts'
import { toSpan } from '../../ui/time.tsx'
import { type Span, toTick } from './clock.ts'
import { type Colour, type Colours, coloursNear } from './colours.ts'
import { latencyTicks, latencyTop } from './latency-ticks.ts'
import { lonePlaces } from './series.ts'

export type Line = Readonly<{ name: string; colour: Colour; values: readonly (number | null)[]; dashed?: boolean }>

/** `stack`: stacked counts, the first at the bottom. `share`: 0 to 1. `span`: milliseconds. */
export type Kind = 'stack' | 'count' | 'share' | 'span'

export type PlotProps = Readonly<{
  kind: Kind
  label: string
  height: number
  span: Span
  /** The start times of the steps. */
  steps: readonly number[]
  lines: readonly Line[]
  /** Charts of the same group share a cursor. */
  group: string
  onPoint: (place: number | undefined) => void
}>

/** Steps are drawn at their middle. Stacked bars are cumulative and drawn from the highest to the lowest. */
export function valuesOf({ kind, steps, lines, span }: PlotProps): uPlot.AlignedData {
  const places = steps.map((start) => start + span.step / 2)
  if (kind !== 'stack') return [places, ...lines.map(({ values }) => [...values])]
  const below = steps.map(() => 0)
  const heights = lines.map(({ values }) =>
    values.map((value, place) => {
      below[place] = (below[place] ?? 0) + (value ?? 0)
      return below[place] ?? 0
    }),
  )
  return [places, ...heights.reverse()]
}

type Latest = Readonly<{ current: PlotProps }>

export function optionsOf(latest: Latest, element: HTMLElement): Options {
  const { kind, height, lines, group } = latest.current
  const colours = coloursNear(element)
  const series = lines.map((line) => (kind === 'stack' ? toBar(line, colours) : toLine(line, colours)))
  return {
    width: Math.max(100, Math.floor(element.clientWidth)),
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { show: kind !== 'stack', size: 7 },
      sync: { key: group },
    },
    hooks: { setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? undefined)] },
    scales: { x: { range: () => [latest.current.span.from, latest.current.span.to] }, y: SCALES[kind] },
    axes: [toClockAxis(latest, colours), toValueAxis(kind, colours)],
    series: [{}, ...(kind === 'stack' ? series.reverse() : series)],
  }
}

function toBar({ name, colour }: Line, colours: Colours): Series {
  const paths = uPlot.paths.bars?.({ size: [0.86, 48, 1] })
  return { label: name, fill: colours(colour), width: 0, points: { show: false }, ...(paths && { paths }) }
}

const toLine = ({ name, colour, dashed = false }: Line, colours: Colours): Series => ({
  label: name,
  stroke: colours(colour),
  width: dashed ? 1.25 : 2,
  ...(dashed ? { dash: [4, 4] } : {}),
  points: {
    size: dashed ? 3 : 5,
    fill: colours(colour),
    space: 8,
    // An isolated value has no line, so its point is always drawn.
    filter: (plot, place, show) => (show ? null : [...lonePlaces(plot.data[place] ?? [])]),
  },
})

const SCALES: Readonly<Record<Kind, Scale>> = {
  stack: { range: (_, __, most) => [0, Math.max(4, 1.08 * (most ?? 0))] },
  count: { range: (_, __, most) => [0, Math.max(4, 1.08 * (most ?? 0))] },
  share: { range: () => [0, 1.02] },
  span: { distr: 3, range: (_, __, most) => [1, latencyTop(most ?? 1000)] },
}

const SPLITS: Readonly<Record<Kind, Pick<Axis, 'splits' | 'filter'>>> = {
  stack: {},
  count: {},
  share: { splits: [0, 0.25, 0.5, 0.75, 1] },
  span: { splits: (_, __, ___, most) => [...latencyTicks(most)], filter: (_, splits) => splits },
}

const toWhole = (value: number): string => (Number.isInteger(value) ? toShortCount(value) : '')

const FORMATS: Readonly<Record<Kind, (value: number) => string>> = {
  stack: toWhole,
  count: toWhole,
  share: toShare,
  span: toSpan,
}

const plainAxis = (colours: Colours): Axis => ({
  stroke: colours('var(--ink-soft)'),
  font: '11px system-ui, sans-serif',
  grid: { stroke: colours('var(--line)'), width: 1 },
  ticks: { show: false },
  gap: 6,
})

/** Whether a tick label would overflow the right edge. */
const isCut = (plot: uPlot, at: number): boolean => plot.valToPos(at, 'x') > plot.bbox.width / devicePixelRatio - 18

const toClockAxis = (latest: Latest, colours: Colours): Axis => ({
  ...plainAxis(colours),
  grid: { show: false },
  size: 28,
  space: 70,
  values: (plot, places) => places.map((at) => (isCut(plot, at) ? '' : toTick(at, latest.current.span))),
})

const toValueAxis = (kind: Kind, colours: Colours): Axis => ({
  ...plainAxis(colours),
  size: 52,
  space: 32,
  ...SPLITS[kind],
  values: (_, values) => values.map((value) => (value === null ? '' : FORMATS[kind](value))),
})
