/** When to ask a silent provider: 30 s after the hand-off, then 2 min, 10 min, 30 min, and every 2 h. */
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'

const WAITS = [30, 120, 600, 1800, 7200].map(seconds)
const CAP = seconds(7200)

/** How long a provider may stay silent before we say `timed_out`. */
export const SILENCE_LIMIT = seconds(72 * 60 * 60)

/** How long after the hand-off it is asked more often than every two hours. */
export const ASKED_OFTEN = seconds(3 * 60 * 60)

/** How long after the hand-off it is asked, up to the first time at which it has been silent for too long. */
const TIMES: readonly Millis[] = toTimes()
const LAST = TIMES.at(-1) ?? SILENCE_LIMIT

function toTimes(): readonly Millis[] {
  const times: Millis[] = []
  for (let sum = 0; sum < SILENCE_LIMIT; ) {
    sum += WAITS[times.length] ?? CAP
    times.push(millis(sum))
  }
  return times
}

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

/** A stretch of time: its beginning is not in it, its end is. */
export type Stretch = Readonly<{ after: Instant; through: Instant }>

/**
 * Since when a message must be silent for one of its times to have come after the last look, up to now: one
 * stretch for each time it is asked, or fewer where a long look makes them touch. What is older than all of them
 * was missed when it was to be given up, and is taken up again every two hours.
 */
export function toStretches(lastLook: Instant, now: Instant): readonly Stretch[] {
  const stretches: Stretch[] = []
  for (const time of TIMES) {
    const [after, through] = [earlier(lastLook, time), earlier(now, time)]
    const newer = stretches.at(-1)
    if (newer !== undefined && newer.after <= through) stretches.splice(-1, 1, { ...newer, after })
    else stretches.push({ after, through })
  }
  const isMissedDue = Math.floor(now / CAP) > Math.floor(lastLook / CAP)
  return isMissedDue ? [...stretches, { after: EVER, through: earlier(lastLook, LAST) }] : stretches
}

const EVER = instant(0)
const earlier = (at: Instant, by: Millis): Instant => later(at, millis(-by))

export const isSilentTooLong = (since: Instant, now: Instant, limit: Millis = SILENCE_LIMIT): boolean =>
  later(since, limit) <= now
