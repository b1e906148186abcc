/** Times of charts: one format for tooltips, summaries and tables, and ticks that neither repeat nor overlap. */
const [HOUR, DAY] = [3_600, 86_400]

/** In seconds; the steps are `step` long. Days of bills are in UTC, everything else is in local time. */
export type Span = Readonly<{ from: number; to: number; step: number; zone?: 'UTC' }>

const CLOCK = { hour: 'numeric', minute: '2-digit' } as const
const DATE = { month: 'short', day: 'numeric' } as const
const FORMATS = {
  clock: CLOCK,
  seconds: { ...CLOCK, second: '2-digit' },
  date: DATE,
  day: { weekday: 'short', ...DATE },
  dateClock: { ...DATE, ...CLOCK },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
type Format = keyof typeof FORMATS

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(format: Format, zone: Span['zone']): Intl.DateTimeFormat {
  const key = `${format} ${zone}`
  const known = formatters.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat(undefined, { ...FORMATS[format], timeZone: zone })
  formatters.set(key, made)
  return made
}

/** As precise as the steps, with the date if the span has several days. */
function formatOf({ from, to, step, zone }: Span): Intl.DateTimeFormat {
  if (step >= DAY) return formatterOf('day', zone)
  const dates = formatterOf('date', zone)
  const isOneDay = dates.format(from * 1000) === dates.format(to * 1000 - 1)
  return formatterOf(isOneDay ? (step < 60 ? 'seconds' : 'clock') : 'dateClock', zone)
}

/** The start of a step: `9:05 PM`. */
export const toMoment = (at: number, span: Span): string => formatOf(span).format(at * 1000)

/** A whole step: `9:00 – 9:30 PM`. */
export function toInterval(at: number, span: Span): string {
  const { step } = span
  return step >= DAY || step < 60 ? toMoment(at, span) : formatOf(span).formatRange(at * 1000, (at + step) * 1000)
}

/** `9:05 PM`, with the date if it is not today. */
export function toShortMoment(atMs: number): string {
  const isToday = new Date(atMs).toDateString() === new Date().toDateString()
  return formatterOf(isToday ? 'clock' : 'dateClock', undefined).format(atMs)
}

/** `Europe/Lisbon (GMT+1)` */
export function timeZoneName(): string {
  const format = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
  const short = format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value
  const zone = format.resolvedOptions().timeZone
  return short === undefined || short === zone ? zone : `${zone} (${short})`
}

export type Tick = Readonly<{ at: number; label: string }>

const EVERY = [
  ...[10, 30, 60, 120, 300, 600, 900, 1_800],
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 56, 112].map((days) => days * DAY),
]
/** Room between two labels, and how far one may stand out on the right. */
const [GAP, OVERHANG] = [14, 8]

/** As many ticks as have room, at full minutes, hours and days. `measure` is the width of a label. */
export function ticksOf(span: Span, width: number, measure: (label: string) => number): readonly Tick[] {
  const length = span.to - span.from
  if (length <= 0 || width <= 0) return []
  for (const every of EVERY.filter((one) => one >= span.step && length / one <= 60)) {
    const ticks = ticksEvery(every, span)
    const widest = Math.max(0, ...ticks.map(({ label }) => measure(label)))
    if ((every / length) * width >= widest + GAP) return withRoom(ticks, span, width, measure)
  }
  return withRoom(ticksEvery(28 * DAY, span), span, width, measure)
}

/** Drops what would repeat, overlap, or be cut off. A night in which clocks change has an hour less or more. */
function withRoom(
  ticks: readonly Tick[],
  { from, to }: Span,
  width: number,
  measure: (label: string) => number,
): readonly Tick[] {
  const kept: Tick[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const tick of ticks) {
    const half = measure(tick.label) / 2
    const middle = ((tick.at - from) / (to - from)) * width
    const isFree = middle - half >= end && middle + half <= width + OVERHANG && middle - half >= -2 * OVERHANG
    if (!isFree || kept.some(({ label }) => label === tick.label)) continue
    kept.push(tick)
    end = middle + half + GAP / 2
  }
  return kept
}

function ticksEvery(every: number, span: Span): readonly Tick[] {
  const [dates, clock] = [formatterOf('date', span.zone), formatterOf(every < 60 ? 'seconds' : 'clock', span.zone)]
  return placesEvery(every, span).map((at) => ({
    at,
    label: (every >= DAY || isMidnight(at, span.zone) ? dates : clock).format(at * 1000),
  }))
}

function placesEvery(every: number, { from, to, zone }: Span): readonly number[] {
  if (every >= DAY) return midnights({ from, to, zone }).filter((_, nth) => nth % (every / DAY) === 0)
  const offset = zone === 'UTC' ? 0 : -60 * new Date(from * 1000).getTimezoneOffset()
  const first = Math.ceil((from + offset) / every) * every - offset
  return Array.from({ length: Math.max(0, Math.floor((to - first) / every) + 1) }, (_, nth) => first + nth * every)
}

function midnights({ from, to, zone }: Readonly<{ from: number; to: number; zone: Span['zone'] }>): readonly number[] {
  const found: number[] = []
  const day = new Date(from * 1000)
  const [start, next] =
    zone === 'UTC'
      ? [() => day.setUTCHours(0, 0, 0, 0), () => day.setUTCDate(day.getUTCDate() + 1)]
      : [() => day.setHours(0, 0, 0, 0), () => day.setDate(day.getDate() + 1)]
  for (start(); day.getTime() <= to * 1000; next()) if (day.getTime() >= from * 1000) found.push(day.getTime() / 1000)
  return found
}

function isMidnight(at: number, zone: Span['zone']): boolean {
  const time = new Date(at * 1000)
  return zone === 'UTC' ? at % DAY === 0 : time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0
}

/** Whole numbers from 0 to `top`, with room for each. */
export function countTicks(top: number, height: number): readonly number[] {
  const most = Math.max(1, Math.floor(height / 34))
  let step = 1
  for (let power = 1; top / step > most; power *= 10) {
    step = [1, 2, 5, 10].map((one) => one * power).find((one) => top / one <= most) ?? 10 * power
  }
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, nth) => nth * step)
}
