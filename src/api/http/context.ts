/**
 * What every request is known by: an id of its own, the trace it belongs to, and who makes it. All
 * three are in its log lines; the first two are in every answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify'
import type { AccountId, TenantId, TraceId } from '../../domain/ids.ts'
import { parseTraceparent } from '../../domain/message/trace.ts'
import type { Ids } from '../../ports/world.ts'

/** What routes are added to. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type Caller = Readonly<{ tenantId: TenantId; accountId: AccountId; scopes: ReadonlySet<string> }>

declare module 'fastify' {
  interface FastifyRequest {
    traceId?: TraceId
    caller?: Caller
  }
}

/** Who makes the request; only for routes behind a guard. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === undefined) throw new Error('a route without a guard asked for its caller')
  return caller
}

export function traceOf({ traceId }: FastifyRequest): TraceId {
  if (traceId === undefined) throw new Error('a request was handled before it was begun')
  return traceId
}

export type LogFields = Readonly<{ http_request_id: string; trace_id?: TraceId; tenant_id?: TenantId }>

export const toLogFields = ({ id, traceId, caller }: FastifyRequest): LogFields => ({
  http_request_id: id,
  ...(traceId === undefined ? {} : { trace_id: traceId }),
  ...(caller === undefined ? {} : { tenant_id: caller.tenantId }),
})

/** Names the trace of a request and writes both names into its answer. Doing it twice changes nothing. */
export type Begin = (request: FastifyRequest, reply: FastifyReply) => void

export function beginWith(ids: Pick<Ids, 'traceId'>): Begin {
  return (request, reply) => {
    if (request.traceId !== undefined) return
    const traceparent = request.headers['traceparent']
    const named = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined
    request.traceId = named ?? ids.traceId()
    reply.header('x-request-id', request.id)
    reply.header('x-trace-id', request.traceId)
  }
}

/** Ids that cost next to nothing: a random beginning for the process, and a count. */
export function requestIds(ids: Pick<Ids, 'spanId'>): () => string {
  const beginning = ids.spanId()
  let count = 0
  return () => {
    count += 1
    return `${beginning}-${count.toString(36)}`
  }
}
