/** What endpoints were told of which messages, what they are still to be told, and telling it again. */
import { type Static, Type } from 'typebox'
import type { MessageState } from '../../domain/message/state.ts'
import { refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { instant } from '../../lib/time.ts'
import type { Endpoints } from '../../ports/endpoints.ts'
import { DELIVERIES_KEPT_FOR, type WebhookDeliveries } from '../../ports/webhook-deliveries.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, type Caller, callerOf } from '../http/context.ts'
import { answers, IdParams, nullable, RequestId, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { type FindDeps, findStory } from '../messages/find-message.ts'
import { PageFields, readInstant } from '../messages/message-search.ts'
import { ShownWebhookDelivery, toShownWebhookDelivery, WebhookDeliveryStateName } from './endpoint-schemas.ts'
import { findAddressee } from './find-endpoint.ts'

export type WebhookDeliveriesDeps = FindDeps &
  Readonly<{
    endpoints: Pick<Endpoints, 'find'>
    webhookDeliveries: Pick<WebhookDeliveries, 'list' | 'replay'>
    clock: Clock
    guard: Guard
  }>

/** More than an account has endpoints. */
const ALL_OF_MESSAGE = 200

export function webhookDeliveryRoutes(app: Api, deps: WebhookDeliveriesDeps): void {
  const { webhookDeliveries, guard } = deps
  const [mayRead, mayChange] = [guard('messages:read'), guard('admin')]

  app.get('/v1/endpoints/:id/deliveries', { schema: OF_ENDPOINT, onRequest: mayRead }, async (request) => {
    const { id: endpointId, ...account } = await findAddressee(deps, callerOf(request), request.params.id)
    const page = await webhookDeliveries.list({ ...account, endpointId, limit: 50, ...request.query })
    return { items: page.webhookDeliveries.map(toShownWebhookDelivery), next_cursor: page.nextCursor ?? null }
  })

  app.get('/v1/messages/:id/webhook-deliveries', { schema: OF_MESSAGE, onRequest: mayRead }, async (request) => {
    const caller = callerOf(request)
    const { state } = await findStory(deps, caller, request.params.id)
    // Of the endpoints of another account the caller hears nothing.
    const { tenantId, accountId } = caller
    const messageId = state.id
    const page = await webhookDeliveries.list({ tenantId, accountId, messageId, limit: ALL_OF_MESSAGE })
    return { items: page.webhookDeliveries.map(toShownWebhookDelivery) }
  })

  app.post('/v1/endpoints/:id/replay', { schema: REPLAY, onRequest: mayChange }, async (request, reply) => {
    const caller = callerOf(request)
    const { id: endpointId, ...account } = await findAddressee(deps, caller, request.params.id)
    const { since, ...of } = await readReplay(deps, caller, request.body)
    reply.code(202)
    return { replayed: await webhookDeliveries.replay({ ...account, endpointId, ...of }, since, deps.clock()) }
  })
}

/** Another account of the tenant may look into the message, but is not told of it anew. */
async function findOwn(deps: FindDeps, caller: Caller, text: string): Promise<MessageState> {
  const { state } = await findStory(deps, caller, text)
  if (state.accountId !== caller.accountId) throw refuse('NOT_FOUND', 'no such message')
  return state
}

async function readReplay(deps: WebhookDeliveriesDeps, caller: Caller, said: Static<typeof Replay>) {
  if (said.message_id !== undefined) {
    const { id: messageId, createdAt: since } = await findOwn(deps, caller, said.message_id)
    return { messageId, since }
  }
  const since = readInstant('since', said.since ?? '')
  const earliest = instant(deps.clock() - DELIVERIES_KEPT_FOR)
  if (since < earliest) throw refuseFields([{ path: '/since', message: 'must be at most seven days ago' }])
  return { since }
}

const Items = Type.Object({ items: Type.Array(ShownWebhookDelivery) })

const Replay = Type.Object(
  {
    since: Type.Optional(
      Type.Unsafe<string>({ ...Time, description: 'Everything that happened since then, at most seven days ago.' }),
    ),
    message_id: Type.Optional(Type.Unsafe<string>({ ...RequestId, description: 'All that happened to this message.' })),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'One of the two.',
    examples: [{ since: '2030-01-31T12:00:00Z' }],
  },
)

const tags = ['endpoints']
const params = Type.Object({
  id: Type.String({ description: 'The `id` of an endpoint, or `callback` for every `callback_url`.' }),
})

const OF_ENDPOINT = {
  operationId: 'listWebhookDeliveries',
  tags,
  summary: 'What an endpoint was told, and is to be told',
  description:
    'One webhook delivery for each message, the latest change first. Those without a change for seven days are forgotten.',
  params,
  querystring: Type.Object(
    { state: Type.Optional(WebhookDeliveryStateName), ...PageFields },
    { additionalProperties: false },
  ),
  response: answers(
    {
      200: {
        description: 'A page of webhook deliveries.',
        schema: Type.Object({
          ...Items.properties,
          next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}

const OF_MESSAGE = {
  operationId: 'listMessageWebhookDeliveries',
  tags,
  summary: 'Who was told of a message',
  description: 'A webhook delivery for each endpoint, and one for the `callback_url` of the message where it has one.',
  params: IdParams,
  response: answers({ 200: { description: 'The webhook deliveries.', schema: Items } }, 'NOT_FOUND'),
}

const REPLAY = {
  operationId: 'replayWebhookDeliveries',
  tags,
  summary: 'Tell an endpoint again',
  description:
    'Of one message, or of all that changed since then. Every call has the `webhook-id` that it had at first. One that is disabled is told when it is enabled again.',
  params,
  body: Replay,
  response: answers(
    {
      202: {
        description: 'Of how many messages it is told again.',
        schema: Type.Object({ replayed: Type.Integer({ examples: [3] }) }),
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}
