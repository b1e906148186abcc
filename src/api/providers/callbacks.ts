/**
 * Callbacks: delivery reports that providers POST to us. The provider's own code verifies the raw bytes. A forged
 * callback changes nothing; a genuine one is answered after its reports are stored.
 *
 * Anybody can call these paths, so a body is only read if path and headers may be a provider's, and only so much of it
 * as that provider sends.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import { type ProviderName, parseProviderName } from '../../domain/ids.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'
import { type SettleReceiptDeps, settleReceipt } from '../../flows/receive/settle-receipt.ts'
import type { CallbackRequest, Provider, Receipt } from '../../ports/provider.ts'
import { type Api, toLogFields, traceOf } from '../http/context.ts'
import { namedObject, publicResponses } from '../http/schemas.ts'
import { openStrangersBodies } from './callback-bodies.ts'
import { unknownProvider } from './providers.ts'

export type CallbackDeps = SettleReceiptDeps &
  Readonly<{
    providers: ReadonlyMap<ProviderName, Provider>
    /** Some providers sign the URL they call. */
    publicUrl: string
    logger: Logger
    observe?: CallbackObserver
  }>

/** `provider` is empty for a forged callback that any of several may have sent. */
export type CallbackObserver = Readonly<{
  onCallback: (provider: string, result: 'accepted' | 'forged' | 'unmatched') => void
}>

declare module 'fastify' {
  interface FastifyRequest {
    callback?: AdmittedCallback | undefined
  }
}

/** `senders` may have sent it, by its path and headers. */
type AdmittedCallback = Readonly<{ senders: readonly Provider[]; maxBytes: number; response: ServerResponse }>

/** Of providers that do not say how much they send. */
const MAX_BYTES = 64 * 1024

export function callbackRoutes(app: Api, deps: CallbackDeps): void {
  const readBody = openStrangersBodies()
  const ofPath: onRequestHookHandler = (request, reply, done) => {
    const { provider: text } = request.params as { provider: string }
    const name = parseProviderName(text)
    const provider = name && deps.providers.get(name)
    done(provider === undefined ? unknownProvider(text) : admit(deps, request, reply, [provider]))
  }
  const ofAnySms: onRequestHookHandler = (request, reply, done) => {
    const all = [...deps.providers.values()].filter(({ capabilities }) => capabilities.channels.includes('sms'))
    done(admit(deps, request, reply, all))
  }
  app.decorateRequest('callback')
  app.register((scope: Api, _options, registered) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (request, payload, done) => readBody(payload, admitted(request), done))
    const receive = (request: CallbackHttp) => applyCallback(deps, request)
    scope.post('/v1/callbacks/:provider', { schema: ONE, onRequest: ofPath }, receive)
    // Some providers send the whole report in the query string.
    scope.get('/v1/callbacks/:provider', { schema: ONE_BY_GET, onRequest: ofPath, exposeHeadRoute: false }, receive)
    scope.post('/v1/sms/webhook', { schema: ANY, onRequest: ofAnySms }, receive)
    registered()
  })
}

/** The refusal of a callback that none of these can have sent. */
function admit(
  deps: CallbackDeps,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  candidates: readonly Provider[],
): Refusal | undefined {
  const headers = toHeaders(request)
  const senders = candidates.filter(({ callbacks }) => callbacks?.mayBeGenuine(headers) ?? true)
  if (senders.length === 0) return forged(deps, request, candidates)
  const maxBytes = Math.max(...senders.map(({ callbacks }) => callbacks?.maxBytes ?? MAX_BYTES))
  request.callback = { senders, maxBytes, response }
  const length = Number(request.headers['content-length'] ?? 0)
  if (length <= maxBytes) return undefined
  return refuse('PAYLOAD_TOO_LARGE', `The request body is ${length} bytes; the maximum is ${maxBytes}`)
}

function admitted({ callback }: FastifyRequest): AdmittedCallback {
  if (callback === undefined) throw new Error('a callback was read before it was admitted')
  return callback
}

function forged({ logger, observe }: CallbackDeps, request: FastifyRequest, candidates: readonly Provider[]): Refusal {
  const [first, ...others] = candidates
  observe?.onCallback(others.length === 0 ? (first?.name ?? '') : '', 'forged')
  const fields = { ...toLogFields(request), providers: candidates.map(({ name }) => name) }
  logger.warn(fields, 'callback refused: signature not valid')
  return refuse('UNAUTHENTICATED', 'The signature of the callback is not valid')
}

/**
 * The first provider that verifies the callback and made the attempts reads it: two providers may have the same
 * credentials.
 */
async function applyCallback(deps: CallbackDeps, request: CallbackHttp) {
  const { senders } = admitted(request)
  const callback = toCallback(deps.publicUrl, request)
  let unmatched: Readonly<{ provider: string; reports: Reports }> | undefined
  for (const { name: provider, readCallback } of senders) {
    const receipts = await readCallback(callback)
    if (receipts === 'forged') continue
    const reports = receipts.map((receipt) => ({ ...receipt, provider, ...causeOf(request) }))
    const isMatched = await applyReports(deps, request, reports)
    if (isMatched) {
      deps.observe?.onCallback(provider, 'accepted')
      return { received: receipts.length }
    }
    unmatched ??= { provider, reports }
  }
  if (unmatched === undefined) throw forged(deps, request, senders)
  const { provider, reports } = unmatched
  deps.observe?.onCallback(provider, 'unmatched')
  for (const report of reports) deps.logger.warn(toFields(request, report), 'delivery report matches no message')
  return { received: reports.length }
}

/** Where traces are exported, what the reports change leads back to the callback. */
const causeOf = (request: CallbackHttp): Pick<Receipt, 'cause'> =>
  request.spanId === undefined ? {} : { cause: { traceId: traceOf(request), spanId: request.spanId } }

type Reports = readonly Receipt[]

/** Whether any of them matched an attempt. The others of a callback that did are only logged. */
async function applyReports(deps: CallbackDeps, request: CallbackHttp, reports: Reports): Promise<boolean> {
  const { worker } = request.query
  const all = await Promise.all(reports.map((report) => settleReceipt(deps, report, worker)))
  const isMatched = all.includes('applied') || reports.length === 0
  for (const [nth, report] of reports.entries()) {
    if (all[nth] === 'applied') deps.logger.debug(toFields(request, report), 'delivery report applied')
    else if (isMatched) deps.logger.warn(toFields(request, report), 'delivery report matches no message')
  }
  return isMatched
}

const toFields = (request: CallbackHttp, { ref, provider, state }: Receipt) => ({
  ...toLogFields(request),
  message_id: ref.messageId,
  provider,
  state,
})

function toCallback(publicUrl: string, request: CallbackHttp): CallbackRequest {
  const { method, url, body } = request
  const bytes = body instanceof Uint8Array ? body : new Uint8Array()
  return { method, url: publicUrl.replace(/\/$/, '') + url, headers: toHeaders(request), body: bytes }
}

function toHeaders({ headers }: FastifyRequest): Headers {
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  return new Headers(flat)
}

const response = publicResponses(
  {
    200: {
      description: 'All reports are stored.',
      schema: namedObject('CallbackReceipt', {
        received: Type.Integer({ description: 'The number of reports in the callback.', examples: [1] }),
      }),
    },
  },
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNAVAILABLE',
)

const querystring = Type.Object({
  worker: Type.Optional(
    Type.String({
      title: 'CallbackWorker',
      description: 'The worker that made the attempt, as Pombo named it in the callback URL it gave.',
    }),
  ),
})
type Query = Static<typeof querystring>
type CallbackHttp = FastifyRequest<{ Querystring: Query }>

const ONE = {
  operationId: 'receiveProviderCallback',
  tags: ['callbacks'],
  summary: 'Receive a provider callback',
  description: 'In the format of the provider, with its signature.',
  security: [],
  params: Type.Object({ provider: Type.String({ description: 'The name of the provider.', examples: ['simulator'] }) }),
  querystring,
  response,
}

const ONE_BY_GET = {
  ...ONE,
  operationId: 'receiveProviderCallbackByGet',
  summary: 'Receive a provider callback by GET',
  description: 'For providers that send reports in the query string.',
}

const ANY = {
  operationId: 'receiveSmsCallback',
  tags: ['callbacks'],
  summary: 'Receive a callback of any SMS provider',
  description: 'The signature identifies the provider. Kept for compatibility; use `/v1/callbacks/{provider}`.',
  security: [],
  querystring,
  response,
}
