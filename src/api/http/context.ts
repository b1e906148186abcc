/**
 * What every request carries: its own id, its trace and its caller. All are logged; id and trace are response headers,
 * and stored with a message.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify'
import type { ApiKeyId } from '../../domain/access/api-key.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { TenantId, TraceId } from '../../domain/ids.ts'
import type { Origin } from '../../domain/message/message.ts'
import { parseTraceparent } from '../../domain/message/trace.ts'
import { type OmitUndefined, omitUndefined } from '../../lib/omit-undefined.ts'
import type { Ids } from '../../ports/world.ts'

/** The Fastify instance that resources add their routes to. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    traceId?: TraceId
    /** The caller's span, and whether it does not record its trace. */
    callerSpanId?: string
    unsampled?: true
    /** The span of the request, where traces are exported. */
    spanId?: string
    caller?: Caller
  }
}

/** Only for routes behind a guard. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === undefined) throw new Error('a route without a guard has no caller')
  return caller
}

export function traceOf({ traceId }: FastifyRequest): TraceId {
  if (traceId === undefined) throw new Error('a request was handled before it was started')
  return traceId
}

/** Both ids are response headers too. */
export function originOf(request: FastifyRequest): Origin {
  const { id: httpRequestId, unsampled, spanId } = request
  const traceId = traceOf(request)
  const origin = unsampled === undefined ? { traceId, httpRequestId } : { traceId, httpRequestId, unsampled }
  return spanId === undefined ? origin : { ...origin, cause: { traceId, spanId } }
}

export type LogFields = OmitUndefined<{
  http_request_id: string
  trace_id: TraceId | undefined
  tenant_id: TenantId | undefined
  api_key_id: ApiKeyId | undefined
}>

export const toLogFields = ({ id, traceId, caller }: FastifyRequest): LogFields =>
  omitUndefined({
    http_request_id: id,
    trace_id: traceId,
    tenant_id: caller?.tenantId,
    api_key_id: caller?.actor.kind === 'api_key' ? caller.actor.id : undefined,
  })

/** Assigns the trace id of a request and sets both id headers. Idempotent. */
export type StartRequest = (request: FastifyRequest, reply: FastifyReply) => void

export function startRequestWith(ids: Pick<Ids, 'traceId'>): StartRequest {
  return (request, reply) => {
    if (request.traceId !== undefined) return
    const traceparent = request.headers['traceparent']
    const given = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
    request.traceId = given?.traceId ?? ids.traceId()
    if (given !== undefined) request.callerSpanId = given.spanId
    if (given?.sampled === false) request.unsampled = true
    reply.header('x-request-id', request.id)
    reply.header('x-trace-id', request.traceId)
  }
}

/** What is logged and stored of a caller's `X-Request-Id`. An id of any other form is replaced by ours. */
const CALLER_ID = /^[\w.:=-]{1,64}$/

/** The caller's id, or a cheap one: a random prefix for the process, and a counter. */
export function requestIds(ids: Pick<Ids, 'spanId'>): (request?: Pick<IncomingMessage, 'headers'>) => string {
  const prefix = ids.spanId()
  let count = 0
  return (request) => {
    const given = request?.headers['x-request-id']
    if (typeof given === 'string' && CALLER_ID.test(given)) return given
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
