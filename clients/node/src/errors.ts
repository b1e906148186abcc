/** What the calls of the client are rejected with. */
import type { ErrorCode, FieldError, MessageDetails, Problem } from './generated/types.ts'

/** Why a call failed that the gateway did not refuse. */
export type ClientErrorCode =
  /** There was no answer: the connection was refused or lost. The call may have happened. */
  | 'CONNECTION_FAILED'
  /** There was no answer in time. The call may have happened. */
  | 'TIMEOUT'
  /** An error without a problem document, for example from a proxy. */
  | 'HTTP_ERROR'
  /** A success that is not what the API answers. */
  | 'INVALID_RESPONSE'
  /** `waitFor`: the message ended otherwise. */
  | 'MESSAGE_ENDED'
  /** `waitFor`: the message did not get there in time. */
  | 'WAIT_TIMEOUT'

export type PomboErrorFields = Readonly<{
  code: ErrorCode | ClientErrorCode
  detail: string
  status?: number | undefined
  details?: readonly FieldError[] | undefined
  requestId?: string | undefined
  traceId?: string | undefined
  retryAfter?: number | undefined
  idempotencyKey?: string | undefined
  cause?: unknown
}>

export class PomboError extends Error {
  override readonly name: string = 'PomboError'
  /** Stable: program against it. */
  readonly code: ErrorCode | ClientErrorCode
  /** Explains the error to a person. */
  readonly detail: string
  /** Undefined if there was no answer. */
  readonly status: number | undefined
  /** The invalid fields. */
  readonly details: readonly FieldError[]
  /** Finds the call in the log of the gateway. */
  readonly requestId: string | undefined
  readonly traceId: string | undefined
  /** The seconds to wait before a retry. */
  readonly retryAfter: number | undefined
  /** The key of the send. Sending again with it is safe, even if this call happened. */
  readonly idempotencyKey: string | undefined

  constructor(fields: PomboErrorFields) {
    super(`${fields.detail} (${fields.code})`, { cause: fields.cause })
    this.code = fields.code
    this.detail = fields.detail
    this.status = fields.status
    this.details = fields.details ?? []
    this.requestId = fields.requestId
    this.traceId = fields.traceId
    this.retryAfter = fields.retryAfter
    this.idempotencyKey = fields.idempotencyKey
  }
}

/** The message did not reach the status that was waited for. */
export class WaitError extends PomboError {
  override readonly name = 'WaitError'
  /** The message as it was last seen; undefined if it was never read. */
  readonly lastSeen: MessageDetails | undefined

  constructor(code: 'MESSAGE_ENDED' | 'WAIT_TIMEOUT', detail: string, lastSeen: MessageDetails | undefined) {
    super({ code, detail })
    this.lastSeen = lastSeen
  }
}

/** A webhook that is not from Pombo, or too old: answer it with 4xx. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/** The error of an answer that is none of success. */
export async function toPomboError(response: Response, idempotencyKey: string | undefined): Promise<PomboError> {
  const { status, headers } = response
  const common = { status, idempotencyKey, requestId: headers.get('x-request-id') ?? undefined }
  const retryAfter = toSeconds(headers.get('retry-after'))
  const problem = parseProblem(await response.text())
  if (problem === undefined) {
    return new PomboError({ ...common, retryAfter, code: 'HTTP_ERROR', detail: `The server answered ${status}` })
  }
  return new PomboError({
    ...common,
    code: problem.error_code,
    detail: problem.detail,
    details: problem.details,
    traceId: problem.trace_id,
    retryAfter: problem.retry_after ?? retryAfter,
  })
}

function parseProblem(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'error_code' in value ? (value as Problem) : undefined
  } catch {
    return undefined
  }
}

function toSeconds(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
