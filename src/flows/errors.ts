/** The table of refusals: every error code a caller can get, with its HTTP status and title. Codes are public API. */
import type { LimitStatus } from '../domain/limits/limits.ts'
import type { Millis } from '../lib/time.ts'

export const REFUSALS = {
  VALIDATION_ERROR: { status: 400, title: 'Validation failed' },
  UNAUTHENTICATED: { status: 401, title: 'Authentication required' },
  INVALID_CREDENTIALS: { status: 401, title: 'Wrong credentials' },
  FORBIDDEN: { status: 403, title: 'Permission denied' },
  TENANT_UNKNOWN: { status: 403, title: 'Unknown tenant' },
  TENANT_SUSPENDED: { status: 403, title: 'Tenant suspended' },
  INVALID_CSRF_TOKEN: { status: 403, title: 'CSRF token missing or wrong' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout' },
  CONFLICT: { status: 409, title: 'Conflict' },
  QUOTA_EXCEEDED: { status: 409, title: 'Quota exceeded' },
  INVALID_INVITATION: { status: 410, title: 'Invitation used, replaced or expired' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  TEST_MODE_UNAVAILABLE: { status: 422, title: 'Test mode unavailable' },
  NO_ROUTE_FOUND: { status: 422, title: 'No route found' },
  RECIPIENT_SUPPRESSED: { status: 422, title: 'Recipient suppressed' },
  SENDER_NOT_ALLOWED: { status: 422, title: 'Sender not allowed' },
  IDEMPOTENCY_MISMATCH: { status: 422, title: 'Idempotency key reused' },
  RATE_LIMITED: { status: 429, title: 'Rate limit exceeded' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests at once' },
  TOO_MANY_ATTEMPTS: { status: 429, title: 'Too many failed attempts' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Request headers too large' },
  INTERNAL_ERROR: { status: 500, title: 'Internal server error' },
  UNAVAILABLE: { status: 503, title: 'Service unavailable' },
  AUDIT_UNAVAILABLE: { status: 503, title: 'Call not recorded in the audit log' },
  /** Callers see one code for both: what was added to the set-up, and messages. */
  SEND_QUOTA_EXCEEDED: { status: 507, title: 'Quota exceeded', code: 'QUOTA_EXCEEDED' },
} as const

export type RefusalCode = keyof typeof REFUSALS

/** The code that callers see. */
export function publicCodeOf(code: RefusalCode): string {
  const entry: Readonly<{ status: number; code?: string }> = REFUSALS[code]
  return entry.code ?? code
}

/** A request we refuse. The API answers it as problem+json. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: unknown

  constructor(code: RefusalCode, detail: string, details?: unknown) {
    super(detail)
    this.code = code
    this.details = details
  }
}

/** The caller sees `detail`: it must not contain a recipient, a body or a secret. */
export const refuse = (code: RefusalCode, detail: string, details?: unknown): Refusal =>
  new Refusal(code, detail, details)

/** The same words for an id of another tenant as for one that never existed. */
export const notFound = (resource: string, id: string): Refusal => refuse('NOT_FOUND', `No ${resource} with id ${id}`)

/** One or more limits are reached. `retryAfter` is the time until all of them admit another message. */
export class RateLimited extends Refusal {
  readonly limits: readonly LimitStatus[]
  readonly retryAfter: Millis

  constructor(limits: readonly LimitStatus[], retryAfter: Millis) {
    super('RATE_LIMITED', describeReached(limits))
    this.limits = limits
    this.retryAfter = retryAfter
  }
}

/** A tenant asks for something faster than it may. Nothing was done. */
export class Throttled extends Refusal {
  readonly retryAfter: Millis

  constructor(detail: string, retryAfter: Millis) {
    super('RATE_LIMITED', detail)
    this.retryAfter = retryAfter
  }
}

/** A tenant has as many messages as it may have. `retryAfter` is missing where waiting alone does not help. */
export class SendQuotaExceeded extends Refusal {
  readonly retryAfter: Millis | undefined

  constructor(detail: string, retryAfter: Millis | undefined) {
    super('SEND_QUOTA_EXCEEDED', detail)
    this.retryAfter = retryAfter
  }
}

/** Somebody who may be guessing has to wait. */
export class TooManyAttempts extends Refusal {
  readonly retryAfter: Millis

  constructor(retryAfter: Millis) {
    super('TOO_MANY_ATTEMPTS', `Too many failed attempts; try again in ${Math.ceil(retryAfter / 1000)} seconds`)
    this.retryAfter = retryAfter
  }
}

function describeReached(limits: readonly LimitStatus[]): string {
  const reached = limits.filter(({ counter: { rule }, used }) => used >= rule.limit).map(({ counter }) => counter)
  const texts = reached.map(
    ({ scope, rule: { limit, window } }) =>
      `The limit of ${limit} ${scope === 'otp' ? 'one-time codes per recipient' : `messages per ${scope}`} in ${window / 1000} seconds is reached`,
  )
  return texts.length === 0 ? 'A message limit is reached' : texts.join('; ')
}
