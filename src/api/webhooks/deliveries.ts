/** Webhook deliveries: listing them by endpoint or message, and replaying them. */
import { type Static, Type } from 'typebox'
import type { AlertId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { notFound } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { instant, toIso } from '../../lib/time.ts'
import type { Endpoints } from '../../ports/endpoints.ts'
import { DELIVERIES_KEPT_FOR, type WebhookDeliveries } from '../../ports/webhook-deliveries.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, type Caller, callerOf } from '../http/context.ts'
import { MessageIdText, MessageParams, PageFields, pageOf, responses, Time } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { type FindDeps, findState } from '../messages/find-message.ts'
import { readInstant } from '../messages/message-search.ts'
import {
  toEndpointTarget,
  toWebhookDeliveryView,
  WebhookDeliveryState,
  WebhookDeliveryView,
} from './endpoint-schemas.ts'
import { findDeliveryTarget } from './find-endpoint.ts'

export type WebhookDeliveriesDeps = FindDeps &
  Readonly<{
    endpoints: Pick<Endpoints, 'find'>
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
    const { id: endpointId, ...account } = await findDeliveryTarget(deps, callerOf(request), request.params.id)
    const page = await webhookDeliveries.list({ ...account, endpointId, limit: 50, ...request.query })
    return { items: page.webhookDeliveries.map(toWebhookDeliveryView), next_cursor: page.nextCursor ?? null }
  })

  app.get('/v1/messages/:id/webhook-deliveries', { schema: OF_MESSAGE, onRequest: mayRead }, async (request) => {
    const caller = callerOf(request)
    const state = await findState(deps, caller, request.params.id)
    // Another account of the tenant may read the message, but sees only its own endpoints.
    const { tenantId, accountId } = caller
    const page = await webhookDeliveries.list({ tenantId, accountId, subjectId: state.id, limit: MAX_PER_MESSAGE })
    return { items: page.webhookDeliveries.map(toWebhookDeliveryView) }
  })

  app.post('/v1/endpoints/:id/replay', { schema: REPLAY, onRequest: mayChange }, async (request, reply) => {
    const caller = callerOf(request)
    const { id: endpointId, ...account } = await findDeliveryTarget(deps, caller, request.params.id)
    const { since, ...of } = await readReplay(deps, caller, request.body)
    const replayed = await webhookDeliveries.replay({ ...account, endpointId, ...of }, since, deps.clock())
    const { message_id = null, alert_id = null } = request.body
    const after = { replayed, since: toIso(since), message_id, alert_id }
    const target = toEndpointTarget({ id: endpointId })
    await audit(request, { action: 'endpoint.deliveries_replayed', target, after })
    reply.code(202)
    return { replayed }
  })
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

const Items = Type.Object({ items: Type.Array(WebhookDeliveryView) })

const Replay = Type.Object(
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
const params = Type.Object({
  id: Type.String({ description: 'The `id` of an endpoint, or `callback` for every `callback_url`.' }),
})

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
        schema: Type.Object({ replayed: Type.Integer({ examples: [3] }) }),
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}
