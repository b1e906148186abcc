/** When to retry after a failed attempt, and when to stop. Pure: the random number is an argument. */

import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Channel } from '../message/message.ts'

export type RetryPolicy = Readonly<{
  /** The wait after the first attempt, the second, and so on. The last one repeats. */
  delays: readonly Millis[]
  maxAttempts: number
  /** Random variation of the wait as a share (0 to 1), so that an outage does not end in a stampede. */
  jitter: number
  /** Whether a transient error fails over to the next callable provider at once. */
  failover?: true
}>

/** SMS waits min(2^n, 60) s after attempt n; email 1 s, 5 s, 30 s, 2 min, 10 min, plus or minus a quarter. */
export const RETRY: Readonly<Record<Channel, RetryPolicy>> = {
  sms: { delays: [2, 4, 8, 16, 32, 60].map(seconds), maxAttempts: 5, jitter: 0 },
  email: { delays: [1, 5, 30, 120, 600].map(seconds), maxAttempts: 5, jitter: 0.25 },
}

type Failure = Readonly<{
  /** The attempts of this cycle, including this one. */
  attempts: number
  endedAt: Instant
  /** The wait the provider asked for; zero when it named none. */
  retryAfter: Millis
  expiresAt?: Instant
}>

/** `isAdvised`: the provider asked for a longer wait than the policy has. */
export type AfterFailure =
  | Readonly<{ kind: 'retry'; at: Instant; isAdvised: boolean }>
  | Readonly<{ kind: 'exhausted' }>
  | Readonly<{ kind: 'expired'; isAdvised: boolean }>

/** The longest wait that a provider can ask for. */
export const LONGEST_ADVICE: Millis = seconds(60 * 60)

/**
 * `roll` is a random number from 0 (inclusive) to 1 (exclusive). A requested wait that would outlive the message is
 * ignored: retrying too early costs less than not retrying.
 */
export function afterFailure(failure: Failure, policy: RetryPolicy, roll: number): AfterFailure {
  const { attempts, endedAt, retryAfter, expiresAt = NEVER } = failure
  if (attempts >= policy.maxAttempts) return { kind: 'exhausted' }
  const own = millis(delayAfter(attempts, policy, roll))
  const isAdvised = retryAfter > own
  const waits = isAdvised ? [millis(Math.min(retryAfter, Math.max(own, LONGEST_ADVICE))), own] : [own]
  const at = waits.map((wait) => later(endedAt, wait)).find((moment) => moment < expiresAt)
  return at === undefined ? { kind: 'expired', isAdvised } : { kind: 'retry', at, isAdvised }
}

const NEVER = instant(Number.POSITIVE_INFINITY)

function delayAfter(attempts: number, { delays, jitter }: RetryPolicy, roll: number): number {
  const delay = delays[Math.min(attempts, delays.length) - 1] ?? 0
  return delay * (1 + jitter * (2 * roll - 1))
}
