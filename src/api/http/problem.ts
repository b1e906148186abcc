/**
 * Turns errors into RFC 9457 problem+json; nothing else writes it. An error that is not a refusal is a bug or an
 * outage: we log it with its stack, and the caller gets a bare 500.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { TraceId } from '../../domain/ids.ts'
import {
  publicCodeOf,
  RateLimited,
  REFUSALS,
  Refusal,
  type RefusalCode,
  refuse,
  SendQuotaExceeded,
  Throttled,
  TooManyAttempts,
} from '../../flows/errors.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { MalformedCursor } from '../../ports/malformed-cursor.ts'
import { reasonOf, TenantOverload, Unavailable } from '../../ports/unavailable.ts'
import type { Ids } from '../../ports/world.ts'
import { type StartRequest, toLogFields, traceOf } from './context.ts'
import { lingering, needsLingering } from './lingering.ts'
import { maskCredentials } from './mask-credentials.ts'
import { rateLimitHeaders } from './rate-limit.ts'
import { badCursor } from './validation.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** In seconds. */
const RETRY_AFTER: Partial<Record<RefusalCode, number>> = { UNAVAILABLE: 1, TOO_MANY_REQUESTS: 1 }

function retryAfterOf(refusal: Refusal): number | undefined {
  const wait = isTimed(refusal) ? refusal.retryAfter : undefined
  return wait === undefined ? RETRY_AFTER[refusal.code] : Math.max(1, Math.ceil(wait / 1000))
}

/** Whether it may know how long to wait. */
const isTimed = (refusal: Refusal): refusal is RateLimited | Throttled | TooManyAttempts | SendQuotaExceeded =>
  refusal instanceof RateLimited ||
  refusal instanceof Throttled ||
  refusal instanceof TooManyAttempts ||
  refusal instanceof SendQuotaExceeded

export function toRefusal(error: unknown, request?: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof TenantOverload) return refuse('TOO_MANY_REQUESTS', `${error.message}; nothing was changed`)
  if (error instanceof Unavailable) return refuse('UNAVAILABLE', 'Nothing was changed; retry in a moment')
  if (error instanceof MalformedCursor) return badCursor()
  const ofFramework = request && toFrameworkRefusal(codeOf(error), request)
  return ofFramework ?? refuse('INTERNAL_ERROR', 'The error was logged under this http_request_id')
}

/** What Fastify itself refuses, by the code of its error. */
function toFrameworkRefusal(code: unknown, request: FastifyRequest): Refusal | undefined {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refuse('UNSUPPORTED_MEDIA_TYPE', describeContentType(request))
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refuse('PAYLOAD_TOO_LARGE', describeBodySize(request))
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return refuse('VALIDATION_ERROR', 'The length of the request body does not match Content-Length')
    case 'FST_ERR_BAD_URL':
      return refuse('VALIDATION_ERROR', 'The path is not a valid URL')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return unknownPath(request)
    default:
      return undefined
  }
}

const LONGEST_ECHO = 200

/** Without the query, which may contain a recipient. */
export function unknownPath({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): Refusal {
  const [path = ''] = url.split('?')
  return refuse('NOT_FOUND', `Unknown path: ${method} ${path.slice(0, LONGEST_ECHO)}`)
}

function describeContentType({ headers: { 'content-type': given } }: FastifyRequest): string {
  const expected = 'send the request body with Content-Type: application/json'
  return given === undefined
    ? `The request has no Content-Type; ${expected}`
    : `The Content-Type ${given.slice(0, LONGEST_ECHO)} is not supported; ${expected}`
}

function describeBodySize({ headers, routeOptions: { bodyLimit } }: FastifyRequest): string {
  const sent = Number(headers['content-length'])
  return sent > bodyLimit
    ? `The request body is ${sent} bytes; the maximum is ${bodyLimit}`
    : `The request body exceeds the maximum of ${bodyLimit} bytes`
}

/** Not an error of ours, and nobody reads the response. */
const DISCONNECTED = refuse('VALIDATION_ERROR', 'The caller disconnected before the request body was complete')
const isDisconnected = (error: unknown, { raw }: FastifyRequest): boolean =>
  error instanceof Error && error === raw.errored && !raw.complete

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

type RequestIds = Readonly<{ http_request_id: string; trace_id: TraceId }>

/** Without `ids` for an item of a batch, which is no request of its own. */
export function toProblem(refusal: Refusal, ids?: RequestIds) {
  const { code, message, details } = refusal
  const detail = maskCredentials(message)
  const { status, title } = REFUSALS[code]
  const publicCode = publicCodeOf(code)
  const retryAfter = retryAfterOf(refusal)
  return {
    type: `urn:pombo:problem:${publicCode.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail,
    error_code: publicCode,
    message: detail,
    ...omitUndefined({ details }),
    ...ids,
    ...omitUndefined({ retry_after: retryAfter }),
  }
}

/** A route's own plain text for an error, in place of problem+json. */
export type PlainText = (error: unknown, refusal: Refusal) => string | undefined

/** The answer of another API to an error, in place of problem+json. */
export type ErrorAnswer = (
  refusal: Refusal,
  request: FastifyRequest,
) => Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>

declare module 'fastify' {
  interface FastifyContextConfig {
    plainText?: PlainText
    errorAnswer?: ErrorAnswer
  }
}

export type ProblemWriter = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

export function problemWriter({ start, logger }: Readonly<{ start: StartRequest; logger: Logger }>): ProblemWriter {
  return (error, request, reply) => {
    start(request, reply)
    const refusal = isDisconnected(error, request) ? DISCONNECTED : toRefusal(error, request)
    logRefusal(logger, refusal, error, request)
    const problem = toProblem(refusal, { http_request_id: request.id, trace_id: traceOf(request) })
    if (refusal.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer realm="pombo"')
    if (problem.retry_after !== undefined) reply.header('retry-after', problem.retry_after)
    if (refusal instanceof RateLimited) reply.headers(rateLimitHeaders(refusal.limits))
    const other = request.routeOptions.config?.errorAnswer?.(refusal, request)
    if (other !== undefined) {
      return send(request, reply.code(other.status).headers(other.headers), Buffer.from(other.body))
    }
    const text = request.routeOptions.config?.plainText?.(error, refusal)
    if (text !== undefined) return void reply.code(problem.status).type('text/plain').send(text)
    // As bytes: Fastify adds a charset to strings, which this media type does not have.
    send(request, reply.code(problem.status).header('content-type', PROBLEM_TYPE), Buffer.from(JSON.stringify(problem)))
  }
}

/** A caller who is still sending the body must not lose the answer. */
function send({ raw }: FastifyRequest, reply: FastifyReply, body: Buffer): void {
  if (!needsLingering(raw, reply.getHeader('connection') === 'close')) return void reply.send(body)
  reply.headers({ connection: 'close', 'content-length': body.length }).send(lingering(raw, body))
}

/** Without the detail, which may contain field names that the caller made up. */
function logRefusal(logger: Logger, { code }: Refusal, error: unknown, request: FastifyRequest): void {
  const errorCode = publicCodeOf(code)
  const fields = {
    ...toLogFields(request),
    method: request.method,
    route: request.routeOptions.url,
    error_code: errorCode,
  }
  if (code === 'INTERNAL_ERROR') logger.error({ ...fields, err: error }, 'request failed')
  else if (code === 'UNAVAILABLE')
    logger.warn({ ...fields, reason: reasonOf(error) }, 'request refused: service unavailable')
  else logger.debug(fields, 'request refused')
}

/** Answers what is not valid HTTP: there is no request, only the connection. */
export function clientErrorWriter(ids: Pick<Ids, 'traceId'>, toRequestId: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const requestIds = { http_request_id: toRequestId(), trace_id: ids.traceId() }
    const problem = toProblem(toClientRefusal(error.code), requestIds)
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
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('HEADERS_TOO_LARGE', 'The request headers exceed the maximum size')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('REQUEST_TIMEOUT', 'The request did not arrive in time')
  return refuse('VALIDATION_ERROR', 'The request is not valid HTTP')
}
