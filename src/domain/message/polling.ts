/** When to poll a silent provider: 30 s after the handoff, then after 2 min, 10 min, 30 min, and every 2 h. */
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'

const WAITS = [30, 120, 600, 1800, 7200].map(seconds)
const CAP = seconds(7200)

/** How long a provider may stay silent before the message is `timed_out`. */
export const SILENCE_LIMIT = seconds(72 * 60 * 60)

/** For how long after the handoff it is polled more often than every two hours. */
export const ASKED_OFTEN = seconds(3 * 60 * 60)

/** The times of the polls after the handoff, including the first one that ends in a timeout. */
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

/** The next poll after `after` of a message that has been waiting since `since`. */
export function nextPoll(since: Instant, after: Instant): Instant {
  let at: Instant = since
  for (const wait of WAITS) {
    at = later(at, wait)
    if (at > after) return at
  }
  const missed = Math.floor((after - at) / CAP) + 1
  return later(at, millis(missed * CAP))
}

/** A time range, exclusive of its start and inclusive of its end. */
export type Stretch = Readonly<{ after: Instant; through: Instant }>

/**
 * The ranges of waiting times in which a poll has become due since the last round: one per poll, merged where they
 * overlap. Messages older than all of them missed their timeout and are picked up every two hours.
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
