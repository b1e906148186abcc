/**
 * The simulated carrier as a separate process, which gateways call over HTTP like a real provider. If the outcome is
 * unknown, it closes the connection without an answer.
 */
import type { Logger } from 'pino'
import type { AttemptId, TenantId } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { sameAs } from '../../lib/constant-time.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { openHttp } from '../http.ts'
import { toReporter } from './callbacks.ts'
import { type Carrier, type CarrierOptions, openCarrier } from './carrier.ts'
import { parseHandover, toLookupJson, toMailJson, toReceivedJson } from './json.ts'
import { type Answer, type Call, type JsonServerOptions, openJsonServer, toRefusal } from './json-server.ts'

export type SimulatorServerOptions = Omit<CarrierOptions, 'report' | 'alone'> &
  Readonly<{
    host: string
    port: number
    /** Authenticates callers and signs callbacks. */
    secret: string
    logger: Logger
  }>

export type SimulatorServer = AsyncDisposable & Readonly<{ url: string }>

/** The largest mail that arrives over SMTP, in base64, plus its metadata. */
const BODY_LIMIT = 40 * 1024 * 1024
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
  const report = toReporter({ http, secret, logger })
  const server = opened.use(
    openJsonServer({
      host,
      port,
      bodyLimit: BODY_LIMIT,
      keepAliveMillis: KEEP_ALIVE_MILLIS,
      backlog: BACKLOG,
      refuse: refuseStrangers(secret),
      onFault: (error) => logger.error({ err: error }, 'simulator: request failed'),
    }),
  )
  // Closed first, which ends the calls in flight that the closing server waits for.
  const carrier = opened.use(await openCarrier({ ...carrierOptions, report, alone: true }))
  const url = await server.listen((call) => answer(carrier, call))
  const closing = opened.move()
  return { url, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

/** Only the health can be asked without the secret. */
function refuseStrangers(secret: string): JsonServerOptions['refuse'] {
  const isExpected = sameAs(`Bearer ${secret}`)
  const refusal = toRefusal(401, 'UNAUTHENTICATED', 'authenticate with the shared secret')
  return (path, { authorization = '' }) => (path === '/health' || isExpected(authorization) ? undefined : refusal)
}

const ATTEMPTS = '/v1/attempts'
const OK = 200

async function answer(carrier: Carrier, call: Call): Promise<Answer> {
  const { method, path } = call
  if (method === 'POST' && path === ATTEMPTS) return receive(carrier, call)
  if (method !== 'GET') return NOT_FOUND
  switch (path) {
    case '/v1/inbox':
      return list(carrier, call)
    case '/v1/inbox/duplicates':
      return { status: OK, json: await carrier.countDuplicates() }
    case '/v1/mails':
      return show(carrier, call)
    case '/health':
      return { status: carrier.isOpen() ? OK : 503, json: { ok: carrier.isOpen() } }
    default:
      return path.startsWith(`${ATTEMPTS}/`) ? lookUp(carrier, path.slice(ATTEMPTS.length + 1)) : NOT_FOUND
  }
}

const NOT_FOUND = toRefusal(404, 'NOT_FOUND', 'the simulator has no such resource')

async function receive(carrier: Carrier, { json, signal }: Call): Promise<Answer> {
  const handover = parseHandover(json)
  if (handover === undefined) return toRefusal(400, 'INVALID_ATTEMPT', 'the body is not an attempt')
  return toAnswer(await carrier.send(handover, signal))
}

function toAnswer(outcome: SendOutcome): Answer {
  switch (outcome.kind) {
    case 'accepted':
      return { status: 201, json: { provider_message_id: outcome.providerMessageId } }
    case 'rejected':
      return toRefusal(422, outcome.code, outcome.detail)
    case 'deferred':
      return { status: 503, json: toRefusalJson(outcome), headers: toAdvice(outcome) }
    case 'unknown':
      return 'none'
  }
}

type Deferred = Extract<SendOutcome, { kind: 'deferred' }>

const toRefusalJson = ({ code, detail, blame }: Deferred) => omitUndefined({ code, detail, blame })

const toAdvice = ({ retryAfter }: Deferred): Readonly<Record<string, string>> =>
  retryAfter > 0 ? { 'retry-after': `${Math.ceil(retryAfter / 1000)}` } : {}

const lookUp = async (carrier: Carrier, id: string): Promise<Answer> => ({
  status: OK,
  json: toLookupJson(await carrier.lookup(id as AttemptId)),
})

async function list(carrier: Carrier, { query }: Call): Promise<Answer> {
  const tenant = query.get('tenant')
  const max = Number(query.get('limit') ?? '50')
  if (tenant === null || !(max >= 1 && max <= MAX_LISTED)) {
    return toRefusal(400, 'INVALID_QUERY', `the query needs a tenant and a limit from 1 to ${MAX_LISTED}`)
  }
  const tenantId = tenant as TenantId
  const to = query.get('to') ?? undefined
  const items = await carrier.inbox({ tenantId, limit: Math.trunc(max), ...omitUndefined({ to }) })
  return { status: OK, json: { items: items.map(toReceivedJson) } }
}

async function show(carrier: Carrier, { query }: Call): Promise<Answer> {
  const [tenant, attemptId] = [query.get('tenant'), query.get('attempt_id')]
  if (tenant === null || attemptId === null) {
    return toRefusal(400, 'INVALID_QUERY', 'the query needs a tenant and an attempt_id')
  }
  return { status: OK, json: toMailJson(await carrier.mail({ tenantId: tenant as TenantId, attemptId })) }
}
