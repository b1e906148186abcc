/** How long a provider is paused. */
export const PAUSES = ['15m', '1h', 'tomorrow', 'chosen'] as const
export type Pause = (typeof PAUSES)[number]

const [SECOND_MS, MINUTE_MS, WEEK_SECONDS] = [1_000, 60_000, 7 * 24 * 3_600]
const MORNING_HOUR = 8

/** In local time. `chosen` is the time that was picked. */
export function pauseEnd(pause: Pause, chosen: string | undefined, nowMs: number): number | undefined {
  switch (pause) {
    case '15m':
      return nowMs + 15 * MINUTE_MS
    case '1h':
      return nowMs + 60 * MINUTE_MS
    case 'tomorrow': {
      const end = new Date(nowMs)
      end.setDate(end.getDate() + 1)
      return end.setHours(MORNING_HOUR, 0, 0, 0)
    }
    case 'chosen':
      return chosen === undefined ? undefined : Date.parse(chosen)
  }
}

/** What the API accepts, rounded up so that the pause does not end early; undefined for the past and for more than a week. */
export function pauseSeconds(endMs: number | undefined, nowMs: number): number | undefined {
  if (endMs === undefined || Number.isNaN(endMs)) return undefined
  const seconds = Math.ceil((endMs - nowMs) / SECOND_MS)
  return seconds >= 1 && seconds <= WEEK_SECONDS ? seconds : undefined
}
