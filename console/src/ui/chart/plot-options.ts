/** uPlot options: stacked bars, lines or bands, with one time axis for all charts. */
import uPlot, { type Axis, type Band, type Options, type Scale, type Series } from 'uplot'
import { toShare, toShortCount } from '../numbers.ts'
import { toSpan } from '../time.tsx'
import { countTicks, type Span, ticksOf } from './clock.ts'
import { type Colour, type Colours, coloursNear } from './colours.ts'
import { latencyLow, latencyTicks, latencyTop } from './latency-ticks.ts'
import { lonePlaces } from './lines.ts'

export type Line = Readonly<{
  name: string
  colour: Colour
  values: readonly (number | null)[]
  dashed?: boolean
  /** What it is compared with: a faint line, also in front of bars. */
  compared?: boolean
}>

/** The lowest and the highest value of several charts that share a scale. */
export type Bounds = Readonly<{ low: number; top: number }>

/**
 * `stack`: stacked counts, the first at the bottom. `share`: 0 to 1. `span`: milliseconds. `band`: milliseconds, with the
 * area between the first two lines filled.
 */
export type Kind = 'stack' | 'count' | 'share' | 'span' | 'band'

export type PlotProps = Readonly<{
  kind: Kind
  label: string
  height: number
  span: Span
  /** The start times of the steps. */
  steps: readonly number[]
  lines: readonly Line[]
  /** The value of a line at a step. */
  format: (value: number) => string
  /** Charts of the same group share a cursor. */
  group: string
  /** By default those of the lines. */
  bounds?: Bounds
}>

const isStacked = (kind: Kind, { compared = false }: Line): boolean => kind === 'stack' && !compared

/** Steps are drawn at their middle. Stacked bars are cumulative and drawn from the highest to the lowest. */
export function valuesOf({ kind, steps, lines, span }: PlotProps): uPlot.AlignedData {
  const places = steps.map((start) => start + span.step / 2)
  const below = steps.map(() => 0)
  const heights = lines
    .filter((line) => isStacked(kind, line))
    .map(({ values }) =>
      values.map((value, place) => {
        below[place] = (below[place] ?? 0) + (value ?? 0)
        return below[place] ?? 0
      }),
    )
  const others = lines.filter((line) => !isStacked(kind, line)).map(({ values }) => [...values])
  return [places, ...heights.reverse(), ...others]
}

type Latest = Readonly<{ current: PlotProps }>

export function optionsOf(latest: Latest, element: HTMLElement, onPoint: (plot: uPlot) => void): Options {
  const { kind, height, lines, group } = latest.current
  const colours = coloursNear(element)
  const bars = lines.filter((line) => isStacked(kind, line)).map((line) => toBar(line, colours))
  const others = lines.filter((line) => !isStacked(kind, line)).map((line) => toLine(line, colours))
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
    hooks: { setCursor: [onPoint] },
    scales: { x: { range: () => [latest.current.span.from, latest.current.span.to] }, y: scaleOf(latest) },
    axes: [toClockAxis(latest, element, colours), toValueAxis(latest, element, colours)],
    series: [{}, ...bars.reverse(), ...others],
    ...(kind === 'band' && lines.length > 1 ? { bands: [toBand(lines, colours)] } : {}),
  }
}

const toBand = ([upper]: readonly Line[], colours: Colours): Band => ({
  series: [1, 2],
  fill: colours(`color-mix(in srgb, ${upper?.colour ?? 'var(--accent)'} 16%, transparent)`),
})

function toBar({ name, colour }: Line, colours: Colours): Series {
  const paths = uPlot.paths.bars?.({ size: [0.8, 40, 1], radius: 0 })
  return { label: name, fill: colours(colour), width: 0, points: { show: false }, ...(paths && { paths }) }
}

const toLine = ({ name, colour, dashed = false, compared = false }: Line, colours: Colours): Series => ({
  label: name,
  stroke: colours(colour),
  width: dashed || compared ? 1.25 : 1.75,
  ...(dashed || compared ? { dash: [4, 4] } : {}),
  points: {
    size: 4,
    fill: colours(colour),
    // An isolated value has no line, so its point is drawn; others are only drawn under the cursor.
    filter: (plot, place) => [...lonePlaces(plot.data[place] ?? [])],
    show: true,
  },
})

function scaleOf(latest: Latest): Scale {
  const top = (most: number | null): number => latest.current.bounds?.top ?? most ?? 0
  switch (latest.current.kind) {
    case 'stack':
    case 'count':
      return { range: (_, __, most) => [0, Math.max(4, 1.08 * top(most))] }
    case 'share':
      return { range: () => [0, 1.02] }
    case 'span':
    case 'band':
      return {
        distr: 3,
        range: (_, __, most) => [latencyLow(latest.current.bounds?.low ?? 1), latencyTop(top(most) || 1_000)],
      }
  }
}

const FORMATS: Readonly<Record<Kind, (value: number) => string>> = {
  stack: toShortCount,
  count: toShortCount,
  share: toShare,
  span: toSpan,
  band: toSpan,
}

/** The size of --text-xs. */
const FONT_PX = 12

const fontNear = (element: HTMLElement): string => `${FONT_PX}px ${getComputedStyle(element).fontFamily}`

const plainAxis = (element: HTMLElement, colours: Colours): Axis => ({
  stroke: colours('var(--ink-soft)'),
  font: fontNear(element),
  grid: { stroke: colours('var(--line)'), width: 1 },
  ticks: { show: false },
  gap: 6,
})

function toClockAxis(latest: Latest, element: HTMLElement, colours: Colours): Axis {
  const canvas = document.createElement('canvas').getContext('2d')
  const measure = (label: string): number => {
    if (canvas === null) return label.length * FONT_PX
    canvas.font = fontNear(element)
    return canvas.measureText(label).width
  }
  const ticks = (plot: uPlot) => ticksOf(latest.current.span, plot.bbox.width / devicePixelRatio, measure)
  return {
    ...plainAxis(element, colours),
    grid: { show: false },
    size: 28,
    splits: (plot) => ticks(plot).map(({ at }) => at),
    filter: (_, splits) => splits,
    values: (plot, places) => {
      const labels = new Map(ticks(plot).map(({ at, label }) => [at, label]))
      return places.map((at) => labels.get(at) ?? '')
    },
  }
}

function toValueAxis(latest: Latest, element: HTMLElement, colours: Colours): Axis {
  const { kind, height } = latest.current
  return {
    ...plainAxis(element, colours),
    size: 52,
    splits: (_, __, least, most) => {
      if (kind === 'share') return height < 150 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]
      return [...(kind === 'span' || kind === 'band' ? latencyTicks(most, least) : countTicks(most, height - 28))]
    },
    filter: (_, splits) => splits,
    values: (_, values) => values.map((value) => (value === null ? '' : FORMATS[kind](value))),
  }
}
