/** What an endpoint's answer means, and when it is told again after a failure. Pure: the dice come in as an argument. */
import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'

/** `refused`: the address is none that may be called. `unreachable`: nobody answered, or not in time. */
export type WebhookResponse =
  | Readonly<{ kind: 'answered'; status: number; retryAfter: Millis }>
  | Readonly<{ kind: 'refused'; reason: string }>
  | Readonly<{ kind: 'unreachable'; reason: string }>

/** `gone` says that nobody is there to be told, and never will be; `error` is for the customer to read. */
export type WebhookVerdict =
  | Readonly<{ kind: 'told'; status: number }>
  | Readonly<{ kind: 'gone'; status: number; error: string }>
  | Readonly<{ kind: 'failed'; status?: number; error: string; retryAfter: Millis }>

/** An endpoint that has done nothing but fail for this long is disabled. */
export const LONGEST_FAILING: Millis = seconds(5 * 24 * 60 * 60)

/** The waits after the first failure in a row, the second, and so on: three days and a bit in all. */
const DELAYS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(seconds)
/** The share by which a wait may be shorter or longer. */
const JITTER = 0.2
/** The longest wait that an endpoint may ask for. */
const LONGEST_WISH = seconds(24 * 60 * 60)
const NONE = millis(0)

/** Only 2xx is a yes. A redirect is none: the address that was set up is the one that was checked. */
export function toVerdict(carried: WebhookResponse): WebhookVerdict {
  if (carried.kind !== 'answered') return { kind: 'failed', error: carried.reason, retryAfter: NONE }

  const { status, retryAfter } = carried
  if (status >= 200 && status < 300) return { kind: 'told', status }
  const error = `it answered with ${status}`
  return status === 410 ? { kind: 'gone', status, error } : { kind: 'failed', status, error, retryAfter }
}

/** By which metrics tell failures apart. */
export const toFailureClass = (carried: WebhookResponse): string =>
  carried.kind === 'answered' ? `${Math.floor(carried.status / 100)}xx` : carried.kind

export type WebhookFailure = Readonly<{
  /** How often it has failed in a row, this time included. */
  failures: number
  at: Instant
  /** The wait that the endpoint asked for; zero when it named none. */
  retryAfter: Millis
}>

/** When to try again; undefined when it is given up. `roll` is a random number from 0 (inclusive) to 1 (exclusive). */
export function nextTry({ failures, at, retryAfter }: WebhookFailure, roll: number): Instant | undefined {
  const delay = DELAYS[failures - 1]
  if (delay === undefined) return undefined
  const wait = delay * (1 + JITTER * (2 * roll - 1))
  return later(at, millis(Math.max(wait, Math.min(retryAfter, LONGEST_WISH))))
}
