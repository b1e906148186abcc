/**
 * Errors as Twilio writes them: a code of its own, a message, a link and the HTTP status (Twilio Docs, "Error and Warning
 * Dictionary").
 */
import type { FastifyRequest } from 'fastify'
import { RateLimited, REFUSALS, Refusal, type RefusalCode } from '../../flows/errors.ts'
import { maskCredentials } from '../http/mask-credentials.ts'
import type { ErrorAnswer } from '../http/problem.ts'

/** The codes that a request of a caller can get, with the refusals that they stand for. */
const OF_REQUESTS = {
  20009: 'CONFLICT',
  20404: 'NOT_FOUND',
  20422: 'VALIDATION_ERROR',
  21211: 'VALIDATION_ERROR',
  21212: 'VALIDATION_ERROR',
  21602: 'VALIDATION_ERROR',
  21604: 'VALIDATION_ERROR',
  21609: 'VALIDATION_ERROR',
  21617: 'VALIDATION_ERROR',
  21620: 'VALIDATION_ERROR',
  21705: 'VALIDATION_ERROR',
  30409: 'CONFLICT',
  35114: 'VALIDATION_ERROR',
  60200: 'VALIDATION_ERROR',
  60202: 'TOO_MANY_ATTEMPTS',
} as const satisfies Readonly<Record<number, RefusalCode>>

export type RequestErrorCode = keyof typeof OF_REQUESTS

/** A refusal with a code of Twilio's. */
export class TwilioRefusal extends Refusal {
  readonly twilioCode: RequestErrorCode

  constructor(twilioCode: RequestErrorCode, message: string) {
    super(OF_REQUESTS[twilioCode], message)
    this.twilioCode = twilioCode
  }
}

/** The caller sees `message`: it must not contain a recipient, a body or a secret. */
export const refuseAs = (code: RequestErrorCode, message: string): TwilioRefusal => new TwilioRefusal(code, message)

export const noResource = (): TwilioRefusal => refuseAs(20404, 'No such resource')

const LONGEST_PATH = 200

/** What our own API would say otherwise. */
function toMessage({ code, message }: Refusal, { url }: Pick<FastifyRequest, 'url'>): string {
  if (code === 'NOT_FOUND')
    return `The requested resource ${url.split('?', 1)[0]?.slice(0, LONGEST_PATH)} was not found`
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return 'Send a form: Content-Type: application/x-www-form-urlencoded'
  return message
}

type Answered = Readonly<{ code: number; status: number }>

/** What Pombo refuses for all of its APIs. Clients retry by the status, so it is what Twilio answers. */
const OF_REFUSALS: Readonly<Record<RefusalCode, Answered>> = {
  VALIDATION_ERROR: { code: 20422, status: 400 },
  UNAUTHENTICATED: { code: 20003, status: 401 },
  INVALID_CREDENTIALS: { code: 20003, status: 401 },
  FORBIDDEN: { code: 20003, status: 403 },
  TENANT_UNKNOWN: { code: 20003, status: 403 },
  TENANT_SUSPENDED: { code: 20005, status: 403 },
  INVALID_CSRF_TOKEN: { code: 20003, status: 403 },
  NOT_FOUND: { code: 20404, status: 404 },
  METHOD_NOT_ALLOWED: { code: 20004, status: 405 },
  REQUEST_TIMEOUT: { code: 20001, status: 408 },
  CONFLICT: { code: 20409, status: 409 },
  QUOTA_EXCEEDED: { code: 20409, status: 409 },
  INVALID_INVITATION: { code: 20404, status: 410 },
  PAYLOAD_TOO_LARGE: { code: 21617, status: 400 },
  UNSUPPORTED_MEDIA_TYPE: { code: 20415, status: 415 },
  TEST_MODE_UNAVAILABLE: { code: 21612, status: 400 },
  NO_ROUTE_FOUND: { code: 21612, status: 400 },
  RECIPIENT_SUPPRESSED: { code: 21610, status: 400 },
  SENDER_NOT_ALLOWED: { code: 21606, status: 400 },
  IDEMPOTENCY_MISMATCH: { code: 20409, status: 409 },
  RATE_LIMITED: { code: 20429, status: 429 },
  TOO_MANY_REQUESTS: { code: 20429, status: 429 },
  TOO_MANY_ATTEMPTS: { code: 20429, status: 429 },
  HEADERS_TOO_LARGE: { code: 20001, status: 431 },
  INTERNAL_ERROR: { code: 20500, status: 500 },
  UNAVAILABLE: { code: 20503, status: 503 },
  AUDIT_UNAVAILABLE: { code: 20503, status: 503 },
  SEND_QUOTA_EXCEEDED: { code: 63038, status: 429 },
}

/** A recipient has been sent as many codes as it may get. */
const TOO_MANY_CODES: Answered = { code: 60203, status: 429 }

function toAnswered(refusal: Refusal): Answered {
  if (refusal instanceof TwilioRefusal) return { code: refusal.twilioCode, status: REFUSALS[refusal.code].status }
  if (refusal instanceof RateLimited && refusal.limits.some(isOfCodes)) return TOO_MANY_CODES
  return OF_REFUSALS[refusal.code]
}

const isOfCodes = ({ counter: { scope, rule }, used }: RateLimited['limits'][number]): boolean =>
  scope === 'otp' && used >= rule.limit

/** The config of every route of Twilio's API. */
export const errorAnswer: ErrorAnswer = (refusal, request) => {
  const { code, status } = toAnswered(refusal)
  const body = {
    code,
    message: maskCredentials(toMessage(refusal, request)),
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status,
  }
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="Pombo"' } : {}
  return { status, headers: { 'content-type': 'application/json', ...challenge }, body: JSON.stringify(body) }
}
