/** When to ask a silent provider: 30 s after the hand-off, then 2 min, 10 min, 30 min, and every 2 h. */
import { type Instant, later, type Millis, millis, seconds } from './time.ts'

const WAITS = [30, 120, 600, 1800, 7200].map(seconds)
const CAP = seconds(7200)

/** How long a provider may stay silent before we say `timed_out`. */
export const SILENCE_LIMIT = seconds(72 * 60 * 60)

/** The first time after `after` at which a message that waits since `since` is to be asked about. */
export function nextPoll(since: Instant, after: Instant): Instant {
  let at: Instant = since
  for (const wait of WAITS) {
    at = later(at, wait)
    if (at > after) return at
  }
  const missed = Math.floor((after - at) / CAP) + 1
  return later(at, millis(missed * CAP))
}

/** Whether one of the times to ask fell between the last look and now. */
export const isPollDue = (since: Instant, lastLook: Instant, now: Instant): boolean => nextPoll(since, lastLook) <= now

export const isSilentTooLong = (since: Instant, now: Instant, limit: Millis = SILENCE_LIMIT): boolean =>
  later(since, limit) <= now
