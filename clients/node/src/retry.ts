/** When a call that failed is made again, and after which time. */
import type { PomboError } from './errors.ts'

/**
 * Whether a call may be repeated that may have happened already: always, because a repetition changes nothing; with the
 * same idempotency key; or never.
 */
export type Repeatable = 'always' | 'with-key' | 'never'

export type RetryLimits = Readonly<{ maxRetries: number; maxRetryDelayMs: number }>

const FIRST_DELAY_MS = 250

/** The gateway or a proxy could not answer; the call may have happened. */
const UNAVAILABLE: ReadonlySet<number | undefined> = new Set([502, 503, 504])
const TOO_MANY = 429

/** Undefined if the call is not to be made again. `retries` is how often it was. */
export function toRetryDelay(
  { status, code, retryAfter = 0 }: PomboError,
  repeatable: Repeatable,
  retries: number,
  { maxRetries, maxRetryDelayMs }: RetryLimits,
): number | undefined {
  const mayHaveHappened = UNAVAILABLE.has(status) || code === 'CONNECTION_FAILED' || code === 'TIMEOUT'
  if (status !== TOO_MANY && !(mayHaveHappened && repeatable !== 'never')) return undefined
  // To wait for longer than the limit is the caller's decision.
  const asked = retryAfter * 1000
  if (retries >= maxRetries || asked > maxRetryDelayMs) return undefined
  return Math.max(asked, toBackOff(retries, maxRetryDelayMs))
}

/** Doubles each time. Half of it is random, so that clients that failed together do not come back together. */
export function toBackOff(retries: number, maxDelayMs: number): number {
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** retries, maxDelayMs)
  return delayMs * (0.5 + Math.random() / 2)
}

/** Rejects with the reason of the signal when it aborts. */
export function pause(delayMs: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, delayMs)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
