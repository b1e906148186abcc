/** What every request carries: its own id, its trace and its caller. All are logged; id and trace are response headers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify'
import type { Actor } from '../../domain/access/actor.ts'
import type { ApiKeyId } from '../../domain/access/api-key.ts'
import type { Scope } from '../../domain/access/scope.ts'
import type { AccountId, TenantId, TraceId } from '../../domain/ids.ts'
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

/** In test mode the tenant is the test tenant. */
export type Caller = Readonly<{
  tenantId: TenantId
  /** The caller's own tenant, if it acts for another. */
  homeTenantId?: TenantId
  accountId: AccountId
  scopes: ReadonlySet<Scope>
  actor: Actor
}>

declare module 'fastify' {
  interface FastifyRequest {
    traceId?: TraceId
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
    request.traceId = given ?? ids.traceId()
    reply.header('x-request-id', request.id)
    reply.header('x-trace-id', request.traceId)
  }
}

/** Cheap ids: a random prefix for the process, and a counter. */
export function requestIds(ids: Pick<Ids, 'spanId'>): () => string {
  const prefix = ids.spanId()
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
