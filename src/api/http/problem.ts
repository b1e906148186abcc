/**
 * Failures as callers see them: RFC 9457 problem+json, written here and nowhere else. What is not a
 * refusal is a fault of ours: it is logged with its stack, and the caller learns only that it happened.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { TraceId } from '../../domain/ids.ts'
import { RateLimited, REFUSALS, Refusal, type RefusalCode, refuse } from '../../flows/errors.ts'
import { reasonOf, Unavailable } from '../../ports/unavailable.ts'
import type { Ids } from '../../ports/world.ts'
import { type Begin, toLogFields, traceOf } from './context.ts'
import { rateLimitHeaders } from './rate-limit.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** How long to wait before trying again, in seconds. */
const RETRY_AFTER: Partial<Record<RefusalCode, number>> = { UNAVAILABLE: 1 }

const retryAfterOf = (refusal: Refusal): number | undefined =>
  refusal instanceof RateLimited ? Math.max(1, Math.ceil(refusal.retryAfter / 1000)) : RETRY_AFTER[refusal.code]

/** What Fastify itself refuses, by the code of its error. */
const FRAMEWORK = new Map<unknown, readonly [RefusalCode, string]>([
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', ['UNSUPPORTED_MEDIA_TYPE', 'send the body with Content-Type: application/json']],
  ['FST_ERR_CTP_BODY_TOO_LARGE', ['PAYLOAD_TOO_LARGE', 'the body is larger than this call takes']],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', ['VALIDATION_ERROR', 'the body is not as long as Content-Length says']],
  ['FST_ERR_BAD_URL', ['VALIDATION_ERROR', 'the path is not a valid URL']],
  ['FST_ERR_MAX_PARAM_LENGTH', ['NOT_FOUND', 'no such resource']],
])

export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof Unavailable) return refuse('UNAVAILABLE', 'nothing was changed; try again in a moment')
  const framework = FRAMEWORK.get(codeOf(error))
  return framework === undefined ? refuse('INTERNAL_ERROR', 'the details are in our logs') : refuse(...framework)
}

/** Nobody is there to read the answer, and nothing of ours failed. */
const BROKEN_OFF = refuse('VALIDATION_ERROR', 'the caller broke off before the body was complete')
const isBrokenOff = (error: unknown, { raw }: FastifyRequest): boolean =>
  error instanceof Error && error === raw.errored && !raw.complete

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

type Names = Readonly<{ http_request_id: string; trace_id: TraceId }>

/** `names` are those of the request it answers; an item of a batch has none of its own. */
export function toProblem(refusal: Refusal, names?: Names) {
  const { code, message: detail, details } = refusal
  const { status, title } = REFUSALS[code]
  const retryAfter = retryAfterOf(refusal)
  return {
    type: `urn:pombo:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail,
    error_code: code,
    message: detail,
    ...(details === undefined ? {} : { details }),
    ...names,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  }
}

/** What a route says to a failure in place of problem+json, where it has words of its own for it. */
export type PlainText = (error: unknown, refusal: Refusal) => string | undefined

declare module 'fastify' {
  interface FastifyContextConfig {
    plainText?: PlainText
  }
}

export type ProblemWriter = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

export function problemWriter({ begin, logger }: Readonly<{ begin: Begin; logger: Logger }>): ProblemWriter {
  return (error, request, reply) => {
    begin(request, reply)
    const refusal = isBrokenOff(error, request) ? BROKEN_OFF : toRefusal(error)
    logRefusal(logger, refusal, error, request)
    const problem = toProblem(refusal, { http_request_id: request.id, trace_id: traceOf(request) })
    if (refusal.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer realm="pombo"')
    if (problem.retry_after !== undefined) reply.header('retry-after', problem.retry_after)
    if (refusal instanceof RateLimited) reply.headers(rateLimitHeaders(refusal.standings))
    const text = request.routeOptions.config?.plainText?.(error, refusal)
    if (text !== undefined) return void reply.code(problem.status).type('text/plain').send(text)
    // As bytes, because Fastify adds a charset to text, which this media type does not have.
    reply
      .code(problem.status)
      .header('content-type', PROBLEM_TYPE)
      .send(Buffer.from(JSON.stringify(problem)))
  }
}

/** Without the detail, which may name fields by whatever the caller called them. */
function logRefusal(logger: Logger, { code }: Refusal, error: unknown, request: FastifyRequest): void {
  const fields = { ...toLogFields(request), method: request.method, route: request.routeOptions.url, error_code: code }
  if (code === 'INTERNAL_ERROR') logger.error({ ...fields, err: error }, 'request failed')
  else if (code === 'UNAVAILABLE') logger.warn({ ...fields, reason: reasonOf(error) }, 'request not taken')
  else logger.debug(fields, 'request refused')
}

/** For what is no HTTP request at all, so that there is only the bare connection to answer on. */
export function clientErrorWriter(ids: Pick<Ids, 'traceId'>, toRequestId: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const names = { http_request_id: toRequestId(), trace_id: ids.traceId() }
    const problem = toProblem(toClientRefusal(error.code), names)
    const body = JSON.stringify(problem)
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }
}

function toClientRefusal(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('HEADERS_TOO_LARGE', 'the headers are larger than we take')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('REQUEST_TIMEOUT', 'the request was not complete in time')
  return refuse('VALIDATION_ERROR', 'this is not a valid HTTP request')
}
