/** Time formats of the charts. */
const DAY = 24 * 3600

const HOURS = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const SECONDS = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const DAYS = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
const DATES = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' })

export type Span = Readonly<{ from: number; to: number; step: number }>

/** As precise as the step size. */
export function toMoment(at: number, { from, to, step }: Span): string {
  const format = to - from > DAY ? DAYS : step < 60 ? SECONDS : HOURS
  return format.format(at * 1000)
}

export const toTick = (at: number, { from, to }: Span): string =>
  (to - from > 2 * DAY ? DATES : HOURS).format(at * 1000)
