/** Classifies the response of a webhook endpoint, and schedules retries. Pure: the random number is an argument. */
import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { KeptBody, KeptHeaders } from './kept-text.ts'

/** `refused`: the URL must not be called. `unreachable`: no response, or not in time. */
export type WebhookResponse =
  | Readonly<{ kind: 'answered'; status: number; retryAfter: Millis; headers: KeptHeaders; body: KeptBody }>
  | Readonly<{ kind: 'refused'; reason: string }>
  | Readonly<{ kind: 'unreachable'; reason: string }>

/** `gone`: the endpoint will never exist again. `error` is shown to the customer. */
export type WebhookVerdict =
  | Readonly<{ kind: 'delivered'; status: number }>
  | Readonly<{ kind: 'gone'; status: number; error: string }>
  | Readonly<{ kind: 'failed'; status?: number; error: string; retryAfter: Millis }>

/** An endpoint that only failed for this long is disabled. */
export const LONGEST_FAILING: Millis = seconds(5 * 24 * 60 * 60)

/** The waits after consecutive failures: a little over three days in all. */
const DELAYS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(seconds)
/** Random variation of the wait, as a share. */
const JITTER = 0.2
/** The longest wait that an endpoint may ask for. */
const LONGEST_RETRY_AFTER = seconds(24 * 60 * 60)
const NONE = millis(0)

/** Redirects do not count: only the configured URL was checked. */
export const isSuccessful = (status: number): boolean => status >= 200 && status < 300

export function toVerdict(response: WebhookResponse): WebhookVerdict {
  if (response.kind !== 'answered') return { kind: 'failed', error: response.reason, retryAfter: NONE }

  const { status, retryAfter } = response
  if (isSuccessful(status)) return { kind: 'delivered', status }
  const error = `responded with ${status}`
  return status === 410 ? { kind: 'gone', status, error } : { kind: 'failed', status, error, retryAfter }
}

/** The class of a failure, for metrics. */
export const toFailureClass = (response: WebhookResponse): string =>
  response.kind === 'answered' ? `${Math.floor(response.status / 100)}xx` : response.kind

type WebhookFailure = Readonly<{
  /** Consecutive failures, including this one. */
  failures: number
  at: Instant
  /** The wait that the endpoint asked for; zero when it named none. */
  retryAfter: Millis
}>

/** When to retry; undefined to stop. `roll` is a random number from 0 (inclusive) to 1 (exclusive). */
export function nextTry({ failures, at, retryAfter }: WebhookFailure, roll: number): Instant | undefined {
  const delay = DELAYS[failures - 1]
  if (delay === undefined) return undefined
  const wait = delay * (1 + JITTER * (2 * roll - 1))
  return later(at, millis(Math.max(wait, Math.min(retryAfter, LONGEST_RETRY_AFTER))))
}
