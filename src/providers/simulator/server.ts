/**
 * The simulated carrier as a separate process, which gateways call over HTTP like a real provider. If the outcome is
 * unknown, it closes the connection without an answer.
 */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { AttemptId, TenantId } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { isSame } from '../../lib/constant-time.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { openHttp } from '../http.ts'
import { toReporter } from './callbacks.ts'
import { type Carrier, type CarrierOptions, openCarrier } from './carrier.ts'
import { parseHandover, toLookupJson, toMailJson, toReceivedJson } from './json.ts'

export type SimulatorServerOptions = Omit<CarrierOptions, 'report' | 'alone'> &
  Readonly<{
    host: string
    port: number
    /** Authenticates callers and signs callbacks. */
    secret: string
    logger: Logger
  }>

export type SimulatorServer = AsyncDisposable & Readonly<{ url: string }>

/** The largest mail that the API accepts, plus its metadata. */
const BODY_LIMIT = 9 * 1024 * 1024
/** Longer than any caller keeps an idle connection, so that no connection is closed under a request. */
const KEEP_ALIVE_MILLIS = 75_000
/** Workers that start together connect together; a full backlog delays a connection by a second. */
const BACKLOG = 4096
const MAX_LISTED = 10_000

/** Rejects if the file cannot be locked or the port is in use. */
export async function openSimulatorServer(options: SimulatorServerOptions): Promise<SimulatorServer> {
  const { host, port, secret, logger, ...carrierOptions } = options
  await using opened = new AsyncDisposableStack()
  const http = opened.use(openHttp())
  const app = Fastify({ bodyLimit: BODY_LIMIT, keepAliveTimeout: KEEP_ALIVE_MILLIS })
  opened.defer(() => app.close())
  const report = toReporter({ http, secret, logger })
  // Closed first, which ends the calls in flight that the closing server waits for.
  const carrier = opened.use(await openCarrier({ ...carrierOptions, report, alone: true }))

  app.addHook('onRequest', async (request, reply) => {
    const isAuthenticated = isSame(`Bearer ${secret}`, request.headers.authorization ?? '')
    if (!isAuthenticated && request.url !== '/health')
      return refuse(reply, 401, 'UNAUTHENTICATED', 'authenticate with the shared secret')
    return undefined
  })
  app.addHook('onError', async (_request, _reply, error) => {
    if ((error.statusCode ?? 500) >= 500) logger.error({ err: error }, 'simulator: request failed')
  })
  app.post('/v1/attempts', (request, reply) => receive(carrier, request, reply))
  app.get<{ Params: { id: AttemptId } }>('/v1/attempts/:id', async ({ params }) =>
    toLookupJson(await carrier.lookup(params.id)),
  )
  app.get<{ Querystring: Record<string, unknown> }>('/v1/inbox', (request, reply) =>
    list(carrier, request.query, reply),
  )
  app.get<{ Querystring: Record<string, unknown> }>('/v1/mails', (request, reply) =>
    show(carrier, request.query, reply),
  )
  app.get('/v1/inbox/duplicates', () => carrier.countDuplicates())
  app.get('/health', (_request, reply) => reply.code(carrier.isOpen() ? 200 : 503).send({ ok: carrier.isOpen() }))

  const url = await app.listen({ host, port, backlog: BACKLOG })
  const closing = opened.move()
  return { url, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

async function receive(carrier: Carrier, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const handover = parseHandover(request.body)
  if (handover === undefined) return refuse(reply, 400, 'INVALID_ATTEMPT', 'the body is not an attempt')
  const disconnected = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) disconnected.abort()
  })
  return answer(reply, await carrier.send(handover, disconnected.signal))
}

function answer(reply: FastifyReply, outcome: SendOutcome): unknown {
  switch (outcome.kind) {
    case 'accepted':
      return reply.code(201).send({ provider_message_id: outcome.providerMessageId })
    case 'rejected':
      return refuse(reply, 422, outcome.code, outcome.detail)
    case 'deferred':
      if (outcome.retryAfter > 0) reply.header('retry-after', Math.ceil(outcome.retryAfter / 1000))
      return reply.code(503).send(toRefusalJson(outcome))
    case 'unknown':
      reply.hijack().raw.destroy()
      return reply
  }
}

const toRefusalJson = ({ code, detail, blame }: Extract<SendOutcome, { kind: 'deferred' }>) =>
  omitUndefined({ code, detail, blame })

const refuse = (reply: FastifyReply, status: number, code: string, detail: string): FastifyReply =>
  reply.code(status).send({ code, detail })

async function list(carrier: Carrier, query: Record<string, unknown>, reply: FastifyReply): Promise<unknown> {
  const { tenant, to, limit = '50' } = query
  const max = Number(limit)
  if (typeof tenant !== 'string' || !(max >= 1 && max <= MAX_LISTED)) {
    return refuse(reply, 400, 'INVALID_QUERY', `the query needs a tenant and a limit from 1 to ${MAX_LISTED}`)
  }
  const tenantId = tenant as TenantId
  const items = await carrier.inbox({ tenantId, limit: Math.trunc(max), ...(typeof to === 'string' ? { to } : {}) })
  return { items: items.map(toReceivedJson) }
}

async function show(carrier: Carrier, query: Record<string, unknown>, reply: FastifyReply): Promise<unknown> {
  const { tenant, attempt_id: attemptId } = query
  if (typeof tenant !== 'string' || typeof attemptId !== 'string') {
    return refuse(reply, 400, 'INVALID_QUERY', 'the query needs a tenant and an attempt_id')
  }
  return toMailJson(await carrier.mail({ tenantId: tenant as TenantId, attemptId }))
}
