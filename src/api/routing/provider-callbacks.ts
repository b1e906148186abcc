/**
 * Where providers report what became of messages. A callback is judged by the provider's own file on
 * the very bytes that came; a forged one changes nothing, and a true one is answered once it is stored.
 */
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import { type ProviderName, parseProviderName } from '../../domain/ids.ts'
import { refuse } from '../../flows/errors.ts'
import { type ApplyReceiptDeps, applyReceipt } from '../../flows/receive/apply-receipt.ts'
import type { CallbackRequest, Provider, Receipt } from '../../ports/provider.ts'
import { type Api, toLogFields } from '../http/context.ts'
import { openAnswers } from '../http/schemas.ts'

export type WebhooksDeps = ApplyReceiptDeps &
  Readonly<{
    providers: ReadonlyMap<ProviderName, Provider>
    /** What providers call us by: it is part of what some of them sign. */
    publicUrl: string
    logger: Logger
  }>

/** The longest report is a mail that came back, with what the server at fault had to say. */
const BODY_LIMIT = 1024 * 1024

export function callbackRoutes(app: Api, deps: WebhooksDeps): void {
  app.register((scope: Api, _options, registered) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))

    const ofOne = async (request: FastifyRequest<{ Params: { provider: string } }>) => {
      const name = parseProviderName(request.params.provider)
      const provider = name && deps.providers.get(name)
      if (provider === undefined) throw refuse('NOT_FOUND', 'no such provider')
      return settleAll(deps, request, [provider])
    }
    scope.post('/v1/callbacks/:provider', { schema: ONE, bodyLimit: BODY_LIMIT }, ofOne)
    // Some put the whole report into the address.
    scope.get('/v1/callbacks/:provider', { schema: ONE_BY_GET, exposeHeadRoute: false }, ofOne)

    scope.post('/v1/sms/webhook', { schema: ANY, bodyLimit: BODY_LIMIT }, async (request) => {
      const carriers = [...deps.providers.values()].filter(({ capabilities }) => capabilities.channels.includes('sms'))
      return settleAll(deps, request, carriers)
    })
    registered()
  })
}

/** The first provider that knows the callback for its own decides what it says. */
async function settleAll(deps: WebhooksDeps, request: FastifyRequest, candidates: readonly Provider[]) {
  const callback = toCallback(deps.publicUrl, request)
  for (const provider of candidates) {
    const receipts = await provider.readCallback(callback)
    if (receipts === 'forged') continue
    await Promise.all(receipts.map((receipt) => settleOne(deps, request, provider, receipt)))
    return { received: receipts.length }
  }
  deps.logger.warn({ ...toLogFields(request), providers: candidates.map(({ name }) => name) }, 'callback forged')
  throw refuse('UNAUTHENTICATED', 'the provider did not sign this')
}

async function settleOne(
  deps: WebhooksDeps,
  request: FastifyRequest,
  { name }: Provider,
  receipt: Receipt,
): Promise<void> {
  const settled = await applyReceipt(deps, receipt)
  const fields = { ...toLogFields(request), message_id: receipt.ref.messageId, provider: name, state: receipt.state }
  if (settled === 'unmatched') deps.logger.warn(fields, 'receipt without its message')
  else deps.logger.debug(fields, 'receipt settled')
}

function toCallback(publicUrl: string, { method, url, headers, body }: FastifyRequest): CallbackRequest {
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  )
  const bytes = body instanceof Uint8Array ? body : new Uint8Array()
  return { method, url: publicUrl.replace(/\/$/, '') + url, headers: new Headers(flat), body: bytes }
}

const response = openAnswers(
  {
    200: {
      description: 'Every report is stored.',
      schema: Type.Object({ received: Type.Integer({ description: 'How many reports it held.', examples: [1] }) }),
    },
  },
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNAVAILABLE',
)

const ONE = {
  operationId: 'receiveProviderCallback',
  tags: ['webhooks'],
  summary: 'A provider reports',
  description: 'In the format of that provider, which signs it.',
  security: [],
  params: Type.Object({ provider: Type.String({ examples: ['simulator'] }) }),
  response,
}

const ONE_BY_GET = {
  ...ONE,
  operationId: 'receiveProviderCallbackByGet',
  summary: 'A provider reports by GET',
  description: 'As some providers do, which sign the address.',
}

const ANY = {
  operationId: 'receiveSmsCallback',
  tags: ['webhooks'],
  summary: 'Some SMS provider reports',
  description: 'Whose report it is shows by its signature.',
  security: [],
  response,
}
