/** The table of refusals: every code a caller can get, with its HTTP status and title. Codes are public API. */
import type { Standing } from '../domain/limits/limits.ts'
import type { Millis } from '../lib/time.ts'

export const REFUSALS = {
  VALIDATION_ERROR: { status: 400, title: 'The request is not valid' },
  UNAUTHENTICATED: { status: 401, title: 'A valid bearer token is needed' },
  FORBIDDEN: { status: 403, title: 'The token does not allow this' },
  NOT_FOUND: { status: 404, title: 'There is no such thing' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The resource does not know this method' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request did not arrive in time' },
  CONFLICT: { status: 409, title: 'The state of the thing does not allow this' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The request is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The request must be JSON' },
  RECIPIENT_SUPPRESSED: { status: 422, title: 'The recipient gets no more mail' },
  IDEMPOTENCY_MISMATCH: { status: 422, title: 'The idempotency key was used for another request' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers of the request are too large' },
  INTERNAL_ERROR: { status: 500, title: 'Something broke on our side' },
  UNAVAILABLE: { status: 503, title: 'The gateway cannot take this right now' },
} as const

export type RefusalCode = keyof typeof REFUSALS

/** A refusal to a caller, on its way to becoming problem+json. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: unknown

  constructor(code: RefusalCode, detail: string, details?: unknown) {
    super(detail)
    this.code = code
    this.details = details
  }
}

/** `detail` is for the caller: it must not repeat a recipient, a body or a secret. */
export const refuse = (code: RefusalCode, detail: string, details?: unknown): Refusal =>
  new Refusal(code, detail, details)

/** Limits do not admit one more, and when they would. */
export class RateLimited extends Refusal {
  readonly standings: readonly Standing[]
  readonly retryAfter: Millis

  constructor(standings: readonly Standing[], retryAfter: Millis) {
    super('RATE_LIMITED', 'a limit on messages is reached; wait as long as Retry-After says')
    this.standings = standings
    this.retryAfter = retryAfter
  }
}
