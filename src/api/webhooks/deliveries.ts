/** Webhook deliveries: listing them by endpoint or message, and replaying them. */
import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import type { AlertId, EndpointId, MessageId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'
import { notFound } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { instant, toIso } from '../../lib/time.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import { DELIVERIES_KEPT_FOR, type WebhookDeliveries, type WebhookDelivery } from '../../ports/webhook-deliveries.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import {
  listOf,
  MessageIdText,
  MessageParams,
  namedObject,
  PageFields,
  pageOf,
  responses,
  Time,
} from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { type FindDeps, findState } from '../messages/find-message.ts'
import { readInstant } from '../messages/message-search.ts'
import {
  DeliveryTargetId,
  toEndpointTarget,
  toWebhookDeliveryView,
  WebhookDeliveryState,
  WebhookDeliveryView,
} from './endpoint-schemas.ts'
import { findDeliveryTarget } from './find-endpoint.ts'

export type WebhookDeliveriesDeps = FindDeps &
  Readonly<{
    endpoints: Pick<Endpoints, 'find' | 'list'>
    webhookDeliveries: Pick<WebhookDeliveries, 'list' | 'replay'>
    clock: Clock
    guard: Guard
    audit: Audit
  }>

/** More than an account can have endpoints. */
const MAX_PER_MESSAGE = 200

export function webhookDeliveryRoutes(app: Api, deps: WebhookDeliveriesDeps): void {
  const { webhookDeliveries, guard, audit } = deps
  const [mayRead, mayChange] = [guard('messages:read'), guard('admin')]

  app.get('/v1/endpoints/:id/deliveries', { schema: OF_ENDPOINT, onRequest: mayRead }, async (request) => {
    const target = await findDeliveryTarget(deps, callerOf(request), request.params.id)
    const of = { ...toAccount(target), endpointId: target.id }
    const page = await webhookDeliveries.list({ ...of, limit: 50, ...request.query })
    const items = page.webhookDeliveries.map((delivery) => toWebhookDeliveryView(delivery, target.url))
    return { items, next_cursor: page.nextCursor ?? null }
  })

  app.get('/v1/messages/:id/webhook-deliveries', { schema: OF_MESSAGE, onRequest: mayRead }, async (request) => {
    const caller = callerOf(request)
    const state = await findState(deps, caller, request.params.id)
    // Another account of the tenant may read the message, but sees only its own endpoints.
    const of = { ...toAccount(caller), subjectId: state.id }
    const { webhookDeliveries: found } = await webhookDeliveries.list({ ...of, limit: MAX_PER_MESSAGE })
    const urls = await urlsOf(deps, caller, found)
    return { items: found.map((delivery) => toWebhookDeliveryView(delivery, urls.get(delivery.endpointId))) }
  })

  app.post('/v1/endpoints/:id/replay', { schema: REPLAY, onRequest: mayChange }, async (request, reply) => {
    const caller = callerOf(request)
    const found = await findDeliveryTarget(deps, caller, request.params.id)
    const endpointId = found.id
    const { since, ...of } = await readReplay(deps, caller, request.body)
    const replayed = await webhookDeliveries.replay({ ...toAccount(found), endpointId, ...of }, since, deps.clock())
    const { message_id = null, alert_id = null } = request.body
    const after = { replayed, since: toIso(since), message_id, alert_id }
    const target = toEndpointTarget({ id: endpointId })
    await audit(request, { action: 'endpoint.deliveries_replayed', target, after })
    reply.code(202)
    return { replayed }
  })
}

const toAccount = ({ tenantId, accountId }: Pick<EndpointKey, 'tenantId' | 'accountId'>) => ({ tenantId, accountId })

/** The URLs of the account's endpoints, and of the callback of the message. */
async function urlsOf(
  { endpoints, log }: WebhookDeliveriesDeps,
  caller: Caller,
  deliveries: readonly WebhookDelivery[],
): Promise<ReadonlyMap<EndpointId, string>> {
  const urls = new Map((await endpoints.list(toAccount(caller))).map(({ id, url }) => [id, url]))
  const messageId = deliveries.find(({ endpointId }) => endpointId === CALLBACK)?.subjectId as MessageId | undefined
  const callbackUrl = messageId && (await log.load(messageId))?.content?.callbackUrl
  return callbackUrl === undefined ? urls : urls.set(CALLBACK, callbackUrl)
}

/** Another account of the tenant may read the message, but not replay its webhooks. */
async function findOwn(deps: FindDeps, caller: Caller, text: string): Promise<MessageState> {
  const state = await findState(deps, caller, text)
  if (state.accountId !== caller.accountId) throw notFound('message', state.id)
  return state
}

async function readReplay(deps: WebhookDeliveriesDeps, caller: Caller, body: Static<typeof Replay>) {
  if (body.message_id !== undefined) {
    const { id: subjectId, createdAt: since } = await findOwn(deps, caller, body.message_id)
    return { subjectId, since }
  }
  if (body.alert_id !== undefined) return { subjectId: body.alert_id as AlertId, since: instant(0) }
  const since = readInstant('since', body.since ?? '')
  const earliest = instant(deps.clock() - DELIVERIES_KEPT_FOR)
  if (since < earliest) throw refuseFields([{ path: '/since', message: 'must be at most seven days ago' }])
  return { since }
}

const Items = listOf(WebhookDeliveryView)

const Replay = namedObject(
  'ReplayWebhookDeliveriesRequest',
  {
    since: Type.Optional(
      Type.Unsafe<string>({
        ...Time,
        description: 'Replay all events and alerts since this time, at most seven days ago.',
      }),
    ),
    message_id: Type.Optional(
      Type.Unsafe<string>({ ...MessageIdText, description: 'Replay all events of this message.' }),
    ),
    alert_id: Type.Optional(Type.Unsafe<string>({ ...MessageIdText, description: 'Replay this alert.' })),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'Exactly one of the fields.',
    examples: [{ since: '2030-01-31T12:00:00Z' }],
  },
)

const tags = ['endpoints']
const params = Type.Object({ id: DeliveryTargetId })

const OF_ENDPOINT = {
  operationId: 'listWebhookDeliveries',
  tags,
  summary: 'List webhook deliveries',
  description:
    'One webhook delivery per message or alert, last changed first. Deliveries are kept for seven days after their last change.',
  params,
  querystring: Type.Object(
    { state: Type.Optional(WebhookDeliveryState), ...PageFields },
    { additionalProperties: false },
  ),
  response: responses(
    { 200: { description: 'A page of webhook deliveries.', schema: pageOf(WebhookDeliveryView) } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}

const OF_MESSAGE = {
  operationId: 'listMessageWebhookDeliveries',
  tags,
  summary: 'List the webhook deliveries of a message',
  description: 'One webhook delivery per endpoint, and one for the `callback_url` of the message if it has one.',
  params: MessageParams,
  response: responses({ 200: { description: 'The webhook deliveries.', schema: Items } }, 'NOT_FOUND'),
}

const REPLAY = {
  ...audited('endpoint.deliveries_replayed'),
  operationId: 'replayWebhookDeliveries',
  tags,
  summary: 'Replay webhook deliveries',
  description:
    'Delivers the events of one message, an alert, or all events and alerts since a time, again. Every call keeps its original `webhook-id`. A disabled endpoint gets them when it is enabled again.',
  params,
  body: Replay,
  response: responses(
    {
      202: {
        description: 'The number of messages whose events are delivered again, and of alerts.',
        schema: namedObject('WebhookDeliveryReplay', { replayed: Type.Integer({ examples: [3] }) }),
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}
