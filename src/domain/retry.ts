/** How long to wait before the next attempt, and when to stop. Pure: the dice come in as an argument. */
import type { Channel } from './message.ts'
import { type Instant, later, type Millis, millis, seconds } from './time.ts'

export type RetryPolicy = Readonly<{
  /** The wait after the first attempt, the second, and so on. The last one repeats. */
  delays: readonly Millis[]
  maxAttempts: number
  /** The share by which a wait may be shorter or longer (0 to 1), so that an outage does not end in a stampede. */
  jitter: number
}>

/** SMS waits min(2^n, 60) s after attempt n; email 1 s, 5 s, 30 s, 2 min, 10 min, give or take a quarter. */
export const RETRY: Readonly<Record<Channel, RetryPolicy>> = {
  sms: { delays: [2, 4, 8, 16, 32, 60].map(seconds), maxAttempts: 5, jitter: 0 },
  email: { delays: [1, 5, 30, 120, 600].map(seconds), maxAttempts: 5, jitter: 0.25 },
}

export type Failure = Readonly<{
  /** How many attempts this cycle has made, this one included. */
  attempts: number
  endedAt: Instant
  /** The wait the provider asked for; zero when it named none. */
  retryAfter: Millis
  expiresAt?: Instant
}>

export type AfterFailure =
  | Readonly<{ kind: 'retry'; at: Instant }>
  | Readonly<{ kind: 'exhausted' }>
  | Readonly<{ kind: 'expired' }>

/** `roll` is a random number from 0 (inclusive) to 1 (exclusive). */
export function afterFailure(failure: Failure, policy: RetryPolicy, roll: number): AfterFailure {
  if (failure.attempts >= policy.maxAttempts) return { kind: 'exhausted' }
  const at = later(failure.endedAt, millis(Math.max(delayAfter(failure.attempts, policy, roll), failure.retryAfter)))
  return failure.expiresAt !== undefined && at >= failure.expiresAt ? { kind: 'expired' } : { kind: 'retry', at }
}

function delayAfter(attempts: number, { delays, jitter }: RetryPolicy, roll: number): number {
  const delay = delays[Math.min(attempts, delays.length) - 1] ?? 0
  return delay * (1 + jitter * (2 * roll - 1))
}
