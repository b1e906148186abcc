/**
 * A time axis for milliseconds to hours: the width of a gap grows with the logarithm of its duration, from a minimum
 * that can still be pointed at.
 */
import type { TimelineEntry } from './timeline-entries.ts'

type Gap = Readonly<{ x: number; width: number; ms: number }>

export type Axis = Readonly<{
  width: number
  gaps: readonly Gap[]
  /** The x position of an event. Events of the same millisecond are placed side by side. */
  ofEvent: (index: number) => number
  /** The x position of any other time. */
  ofTime: (at: number) => number
}>

type Stop = Readonly<{ at: number; index?: number }>

const MARGIN = 20
const LEAST_GAP = 46
/**
 * Pixels per factor of ten. When there is not enough room the picture scrolls, so that hours never look like seconds.
 */
const LEAST_UNIT = 10
const FINEST_MS = 10

export function toAxis(entries: readonly TimelineEntry[], times: readonly number[], room: number): Axis {
  const stops = [...entries, ...times.map((at): Stop => ({ at }))].sort((one, other) => one.at - other.at)
  const lengths = stops.slice(1).map(({ at }, before) => at - (stops[before]?.at ?? at))
  const weights = lengths.map((ms) => Math.log10(1 + ms / FINEST_MS))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const left = room - 2 * MARGIN - lengths.length * LEAST_GAP
  const unit = Math.max(LEAST_UNIT, total === 0 ? 0 : left / total)

  let x = MARGIN
  const gaps = lengths.map((ms, index): Gap => {
    const width = LEAST_GAP + (weights[index] ?? 0) * unit
    const gap = { x, width, ms }
    x += width
    return gap
  })
  const places = [MARGIN, ...gaps.map((gap) => gap.x + gap.width)]
  const ofEvents = new Map(
    stops.flatMap(({ index }, stop) => (index === undefined ? [] : [[index, places[stop] ?? 0]])),
  )
  return {
    width: Math.max(room, Math.floor(x + MARGIN)),
    gaps,
    ofEvent: (index) => ofEvents.get(index) ?? MARGIN,
    ofTime: (at) => between(at, stops, places),
  }
}

function between(at: number, stops: readonly Stop[], places: readonly number[]): number {
  const next = stops.findIndex((stop) => stop.at >= at)
  const [right, left] = [stops[next], stops[next - 1]]
  if (right === undefined) return places.at(-1) ?? MARGIN
  const to = places[next] ?? MARGIN
  if (left === undefined) return to
  const from = places[next - 1] ?? MARGIN
  return from + ((to - from) * (at - left.at)) / (right.at - left.at)
}
