/**
 * The replies to SMTP clients, with enhanced status codes (RFC 3463): 4xx where the same mail may be taken later, 5xx
 * where it never will be.
 */
import { RateLimited, Refusal, type RefusalCode, SendQuotaExceeded, TooManyAttempts } from '../../flows/errors.ts'
import type { MailFlaw } from '../../ports/mail-reader.ts'
import { Unavailable } from '../../ports/unavailable.ts'

/** As in `550 5.1.1`. */
export type Code = `${4 | 5}${number} ${4 | 5}.${number}.${number}`

/** The library writes the code in front of the message; only 421 must be a number, because it closes the connection. */
export class Reply extends Error {
  readonly responseCode: number | Code

  constructor(code: Code | 421, text: string) {
    super(text.slice(0, LONGEST_TEXT))
    this.responseCode = code
  }

  get isTemporary(): boolean {
    return String(this.responseCode).startsWith('4')
  }
}

/** A reply has at most 512 octets (RFC 5321, 4.5.3.1.5). */
const LONGEST_TEXT = 450

const CODES: Readonly<Partial<Record<RefusalCode, Code>>> = {
  VALIDATION_ERROR: '554 5.6.0',
  UNAUTHENTICATED: '530 5.7.0',
  FORBIDDEN: '550 5.7.1',
  TENANT_UNKNOWN: '550 5.7.1',
  TENANT_SUSPENDED: '550 5.7.1',
  PAYLOAD_TOO_LARGE: '552 5.3.4',
  TEST_MODE_UNAVAILABLE: '550 5.7.1',
  NO_ROUTE_FOUND: '550 5.4.4',
  RECIPIENT_SUPPRESSED: '550 5.1.1',
  SENDER_NOT_ALLOWED: '550 5.7.1',
  IDEMPOTENCY_MISMATCH: '554 5.6.0',
  RATE_LIMITED: '451 4.7.1',
  TOO_MANY_REQUESTS: '451 4.7.1',
  TOO_MANY_ATTEMPTS: '451 4.7.1',
  SEND_QUOTA_EXCEEDED: '451 4.7.1',
}

const FLAWS: Readonly<Record<MailFlaw, Code>> = {
  line_breaks: '550 5.6.11',
  sender: '554 5.6.0',
  too_large: '552 5.3.4',
  loop: '554 5.4.6',
  headers: '554 5.6.0',
}

export const unavailableReply = (): Reply => new Reply('451 4.3.0', 'The mail cannot be stored now, try again later')
export const flawReply = (flaw: MailFlaw, detail: string): Reply => new Reply(FLAWS[flaw], `Not accepted: ${detail}`)
export const needsAuth = (): Reply => new Reply('530 5.7.0', 'Authentication required; relaying denied')
export const tooLargeReply = (maxBytes: number): Reply =>
  new Reply('552 5.3.4', `The mail is larger than ${maxBytes} bytes`)

/** Undefined for an unexpected error. */
export function toReply(error: unknown): Reply | undefined {
  if (error instanceof Reply) return error
  if (error instanceof Unavailable) return unavailableReply()
  if (!(error instanceof Refusal)) return undefined
  return new Reply(CODES[error.code] ?? '451 4.3.0', error.message + waitOf(error))
}

function waitOf(error: Refusal): string {
  const isWait = error instanceof RateLimited || error instanceof SendQuotaExceeded || error instanceof TooManyAttempts
  const wait = isWait ? error.retryAfter : undefined
  return wait === undefined ? '' : `; try again in ${Math.ceil(wait / 1000)} seconds`
}
