/**
 * The simulated carrier as a process of its own, which many gateways call over HTTP as they would call
 * a real provider. An answer means what it says; where the carrier does not know or does not want to
 * tell, the connection is cut without one.
 */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { AttemptId, TenantId } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { isSame } from '../../lib/constant-time.ts'
import { openHttp } from '../http.ts'
import { toReporter } from './callbacks.ts'
import { type Carrier, type CarrierOptions, openCarrier } from './carrier.ts'
import { parseHandover, toLookupJson, toMailJson, toReceivedJson } from './json.ts'

export type SimulatorServerOptions = Omit<CarrierOptions, 'report' | 'alone'> &
  Readonly<{
    host: string
    port: number
    /** What callers show, and what callbacks are signed with. */
    secret: string
    logger: Logger
  }>

export type SimulatorServer = AsyncDisposable & Readonly<{ url: string }>

/** The longest mail that the API takes, and what we say about it. */
const BODY_LIMIT = 9 * 1024 * 1024
/** Longer than any caller keeps an idle connection, so that none is closed under a request. */
const KEEP_ALIVE_MILLIS = 75_000
/** Workers that start together connect together; whoever finds no place waits a whole second before trying again. */
const BACKLOG = 4096
const MOST_LISTED = 10_000

/** Rejects when the file cannot be had for itself alone, or the port not at all. */
export async function openSimulatorServer(options: SimulatorServerOptions): Promise<SimulatorServer> {
  const { host, port, secret, logger, ...carrying } = options
  await using opened = new AsyncDisposableStack()
  const http = opened.use(openHttp())
  const app = Fastify({ bodyLimit: BODY_LIMIT, keepAliveTimeout: KEEP_ALIVE_MILLIS })
  opened.defer(() => app.close())
  const report = toReporter({ http, secret, logger })
  // Closed first: that ends the calls under way, which the closing server waits for.
  const carrier = opened.use(await openCarrier({ ...carrying, report, alone: true }))

  app.addHook('onRequest', async (request, reply) => {
    const isKnown = isSame(`Bearer ${secret}`, request.headers.authorization ?? '')
    if (!isKnown && request.url !== '/health') return refuse(reply, 401, 'UNAUTHENTICATED', 'show the shared secret')
    return undefined
  })
  app.addHook('onError', async (_request, _reply, error) => {
    if ((error.statusCode ?? 500) >= 500) logger.error({ err: error }, 'request failed')
  })
  app.post('/v1/attempts', (request, reply) => take(carrier, request, reply))
  app.get<{ Params: { id: AttemptId } }>('/v1/attempts/:id', async ({ params }) =>
    toLookupJson(await carrier.lookup(params.id)),
  )
  app.get<{ Querystring: Record<string, unknown> }>('/v1/inbox', (request, reply) =>
    list(carrier, request.query, reply),
  )
  app.get<{ Querystring: Record<string, unknown> }>('/v1/mails', (request, reply) =>
    show(carrier, request.query, reply),
  )
  app.get('/v1/inbox/doubles', () => carrier.doubles())
  app.get('/health', (_request, reply) => reply.code(carrier.isOpen() ? 200 : 503).send({ ok: carrier.isOpen() }))

  const url = await app.listen({ host, port, backlog: BACKLOG })
  const closing = opened.move()
  return { url, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

async function take(carrier: Carrier, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const handover = parseHandover(request.body)
  if (handover === undefined) return refuse(reply, 400, 'INVALID_ATTEMPT', 'the body is not an attempt')
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return answer(reply, await carrier.send(handover, gone.signal))
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

const toRefusalJson = ({ code, detail, blame }: Extract<SendOutcome, { kind: 'deferred' }>) => ({
  code,
  detail,
  ...(blame === undefined ? {} : { blame }),
})

const refuse = (reply: FastifyReply, status: number, code: string, detail: string): FastifyReply =>
  reply.code(status).send({ code, detail })

async function list(carrier: Carrier, query: Record<string, unknown>, reply: FastifyReply): Promise<unknown> {
  const { tenant, to, limit = '50' } = query
  const most = Number(limit)
  if (typeof tenant !== 'string' || !(most >= 1 && most <= MOST_LISTED)) {
    return refuse(reply, 400, 'INVALID_QUERY', `name a tenant, and a limit from 1 to ${MOST_LISTED}`)
  }
  const tenantId = tenant as TenantId
  const items = await carrier.inbox({ tenantId, limit: Math.trunc(most), ...(typeof to === 'string' ? { to } : {}) })
  return { items: items.map(toReceivedJson) }
}

async function show(carrier: Carrier, query: Record<string, unknown>, reply: FastifyReply): Promise<unknown> {
  const { tenant, attempt_id: attemptId } = query
  if (typeof tenant !== 'string' || typeof attemptId !== 'string') {
    return refuse(reply, 400, 'INVALID_QUERY', 'name a tenant and an attempt')
  }
  return toMailJson(await carrier.mail({ tenantId: tenant as TenantId, attemptId }))
}
