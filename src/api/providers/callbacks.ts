/**
 * Callbacks: delivery reports that providers POST to us. The provider's own code verifies the raw bytes. A forged
 * callback changes nothing; a genuine one is answered after its reports are stored.
 */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import { type ProviderName, parseProviderName } from '../../domain/ids.ts'
import { refuse } from '../../flows/errors.ts'
import { type SettleReceiptDeps, settleReceipt } from '../../flows/receive/settle-receipt.ts'
import type { CallbackRequest, Provider, Receipt } from '../../ports/provider.ts'
import { type Api, toLogFields } from '../http/context.ts'
import { publicResponses } from '../http/schemas.ts'
import { unknownProvider } from './providers.ts'

export type CallbackDeps = SettleReceiptDeps &
  Readonly<{
    providers: ReadonlyMap<ProviderName, Provider>
    /** Some providers sign the URL they call. */
    publicUrl: string
    logger: Logger
  }>

/** The longest report is a bounced email with the response of the failing server. */
const BODY_LIMIT = 1024 * 1024

export function callbackRoutes(app: Api, deps: CallbackDeps): void {
  app.register((scope: Api, _options, registered) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))

    const receive = async (request: FastifyRequest<{ Params: { provider: string }; Querystring: Query }>) => {
      const name = parseProviderName(request.params.provider)
      const provider = name && deps.providers.get(name)
      if (provider === undefined) throw unknownProvider(request.params.provider)
      return applyCallback(deps, request, [provider])
    }
    scope.post('/v1/callbacks/:provider', { schema: ONE, bodyLimit: BODY_LIMIT }, receive)
    // Some providers send the whole report in the query string.
    scope.get('/v1/callbacks/:provider', { schema: ONE_BY_GET, exposeHeadRoute: false }, receive)

    const receiveAny = async (request: FastifyRequest<{ Querystring: Query }>) => {
      const smsProviders = [...deps.providers.values()].filter(({ capabilities }) =>
        capabilities.channels.includes('sms'),
      )
      return applyCallback(deps, request, smsProviders)
    }
    scope.post('/v1/sms/webhook', { schema: ANY, bodyLimit: BODY_LIMIT }, receiveAny)
    registered()
  })
}

/** The first provider that verifies the callback reads it. */
async function applyCallback(deps: CallbackDeps, request: CallbackHttp, candidates: readonly Provider[]) {
  const callback = toCallback(deps.publicUrl, request)
  for (const provider of candidates) {
    const receipts = await provider.readCallback(callback)
    if (receipts === 'forged') continue
    await Promise.all(receipts.map((receipt) => applyReport(deps, request, provider, receipt)))
    return { received: receipts.length }
  }
  deps.logger.warn(
    { ...toLogFields(request), providers: candidates.map(({ name }) => name) },
    'callback refused: signature not valid',
  )
  throw refuse('UNAUTHENTICATED', 'The signature of the callback is not valid')
}

async function applyReport(
  deps: CallbackDeps,
  request: CallbackHttp,
  { name }: Provider,
  receipt: Receipt,
): Promise<void> {
  const applied = await settleReceipt(deps, receipt, request.query.worker)
  const fields = { ...toLogFields(request), message_id: receipt.ref.messageId, provider: name, state: receipt.state }
  if (applied === 'unmatched') deps.logger.warn(fields, 'delivery report matches no message')
  else deps.logger.debug(fields, 'delivery report applied')
}

function toCallback(publicUrl: string, { method, url, headers, body }: CallbackHttp): CallbackRequest {
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  const bytes = body instanceof Uint8Array ? body : new Uint8Array()
  return { method, url: publicUrl.replace(/\/$/, '') + url, headers: new Headers(flat), body: bytes }
}

const response = publicResponses(
  {
    200: {
      description: 'All reports are stored.',
      schema: Type.Object({
        received: Type.Integer({ description: 'The number of reports in the callback.', examples: [1] }),
      }),
    },
  },
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNAVAILABLE',
)

const querystring = Type.Object({
  worker: Type.Optional(
    Type.String({ description: 'The worker that made the attempt, as Pombo named it in the callback URL it gave.' }),
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
