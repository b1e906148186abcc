/** The periods of bills: months and days in UTC, both ends included. */
export const PERIODS = ['month', 'last-month', 'custom'] as const
export type PeriodChoice = (typeof PERIODS)[number]
export type Period = Readonly<{ from: string; to: string }>

const [DAY_MS, MAX_DAYS] = [86_400_000, 366]

export const toPeriodChoice = (text: string | undefined): PeriodChoice =>
  PERIODS.find((period) => period === text) ?? 'month'

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** A day of this form, or undefined. */
function parseDay(text: string | undefined): number | undefined {
  const at = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(at) || toDay(at) !== text ? undefined : at
}

/** A custom period that makes no sense, or is longer than the API allows, becomes this month. */
export function periodOf(
  choice: PeriodChoice,
  { from, to }: Readonly<{ from?: string; to?: string }>,
  nowMs: number,
): Period {
  const now = new Date(nowMs)
  const monthStart = (ago: number): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)
  if (choice === 'last-month') return { from: toDay(monthStart(1)), to: toDay(monthStart(0) - DAY_MS) }
  const [first, last] = [parseDay(from), parseDay(to)]
  const isUsable = first !== undefined && last !== undefined && first <= last && last - first < MAX_DAYS * DAY_MS
  if (choice === 'custom' && isUsable) return { from: toDay(first), to: toDay(last) }
  return { from: toDay(monthStart(0)), to: toDay(nowMs) }
}

/** The days of a period, as seconds since the epoch. */
export function daysOf({ from, to }: Period): readonly number[] {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: Math.round((last - first) / DAY_MS) + 1 }, (_, nth) => (first + nth * DAY_MS) / 1000)
}
