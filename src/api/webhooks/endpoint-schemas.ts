/** The schemas of webhook endpoints, their secrets and their deliveries. */
import { type Static, Type } from 'typebox'
import { ALERT_KINDS } from '../../domain/alerts/alert.ts'
import type { EndpointId } from '../../domain/ids.ts'
import { LONGEST_DESCRIPTION, LONGEST_URL } from '../../domain/requests/endpoint-request.ts'
import { DISABLED_REASONS, type Endpoint, WEBHOOK_EVENT_TYPES } from '../../domain/webhooks/endpoint.ts'
import { toIso } from '../../lib/time.ts'
import { withoutQuery } from '../../lib/without-query.ts'
import { WEBHOOK_DELIVERY_STATES, type WebhookDelivery } from '../../ports/webhook-deliveries.ts'
import { isoOrNull, MessageIdText, namedObject, nullable, Time } from '../http/schemas.ts'

const CLOSED = { additionalProperties: false }

const WEEK_SECONDS = 604_800
export const DAY_SECONDS = 86_400

const Id = Type.Unsafe<EndpointId>(
  Type.String({
    description: 'Generated if not given.',
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    examples: ['orders'],
  }),
)
const Url = Type.String({
  description: 'An http or https URL without credentials or fragment. Use https.',
  maxLength: LONGEST_URL,
  examples: ['https://acme.example/hooks/pombo'],
})
const Description = Type.String({
  description: 'A note for your team.',
  minLength: 1,
  maxLength: LONGEST_DESCRIPTION,
  examples: ['Order service'],
})
const Events = Type.Array(Type.Enum([...WEBHOOK_EVENT_TYPES], { title: 'WebhookEventType' }), {
  description:
    'The event types to deliver. If empty, all of messages and all alerts of the tenant. Those of the installation (`tenant.…`, `provider.…`, `dead_letters.…`) are only delivered where they are listed, and only operators may list them.',
  uniqueItems: true,
  examples: [['message.delivered', 'message.failed']],
})

export const EndpointCreate = namedObject(
  'CreateEndpointRequest',
  {
    id: Type.Optional(Id),
    url: Url,
    description: Type.Optional(Description),
    events: Type.Optional(Events),
  },
  { ...CLOSED, examples: [{ id: 'orders', url: 'https://acme.example/hooks/pombo', events: ['message.delivered'] }] },
)

export const EndpointUpdate = Type.Partial(
  Type.Object({
    url: Url,
    description: nullable(Description),
    events: Events,
    enabled: Type.Boolean({
      description: 'True also makes all pending deliveries due now.',
    }),
  }),
  {
    title: 'UpdateEndpointRequest',
    ...CLOSED,
    minProperties: 1,
    examples: [{ url: 'https://acme.example/hooks/new', enabled: true }],
  },
)
export type EndpointUpdate = Static<typeof EndpointUpdate>

export const EndpointView = namedObject('Endpoint', {
  id: Id,
  url: Url,
  description: nullable(Description),
  events: Events,
  enabled: Type.Boolean({
    description: 'A disabled endpoint gets no webhooks. Its pending deliveries are kept for seven days.',
  }),
  disabled_reason: nullable(
    Type.Enum(DISABLED_REASONS, {
      title: 'EndpointDisabledReason',
      description:
        '`by_hand`: disabled through the API. `failing`: every call failed for five days. `gone`: it responded 410.',
    }),
  ),
  failing_since: nullable(Type.Unsafe<string>({ ...Time, description: 'Every call has failed since this time.' })),
  created_at: Time,
  updated_at: Type.Unsafe<string>({ ...Time, description: 'When it was last changed through the API.' }),
})

export const toEndpointView = (endpoint: Endpoint): Static<typeof EndpointView> => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description ?? null,
  events: [...endpoint.events],
  enabled: endpoint.disabled === undefined,
  disabled_reason: endpoint.disabled ?? null,
  failing_since: isoOrNull(endpoint.failingSince),
  created_at: toIso(endpoint.createdAt),
  updated_at: toIso(endpoint.updatedAt),
})

export const toEndpointTarget = ({ id }: Pick<Endpoint, 'id'>) => ({ kind: 'endpoint', id })

/** For the audit log. */
export const toEndpointSnapshot = (endpoint: Endpoint) => ({
  ...toEndpointView(endpoint),
  url: withoutQuery(endpoint.url),
})

const Secret = Type.String({
  description: 'In the Standard Webhooks format: the key is the base64 after `whsec_`.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
})
export const CreatedEndpoint = namedObject('CreatedEndpoint', { ...EndpointView.properties, secret: Secret })
export const EndpointSecrets = namedObject('EndpointSecrets', {
  secret: Secret,
  previous_secret: nullable(
    Type.Unsafe<string>({ ...Secret, description: 'The previous secret, while it still signs.' }),
  ),
  previous_secret_until: nullable(Time),
})
export const Rotation = namedObject(
  'RotateEndpointSecretRequest',
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WEEK_SECONDS,
        default: DAY_SECONDS,
        description: 'How long the current secret keeps signing. Defaults to one day.',
      }),
    ),
  },
  { ...CLOSED, examples: [{ overlap_seconds: DAY_SECONDS }] },
)

/** In the path of what is about deliveries. */
export const DeliveryTargetId = Type.String({
  title: 'DeliveryTargetId',
  description: 'The `id` of an endpoint, or `callback` for every `callback_url`.',
  examples: ['orders'],
})

export const WebhookDeliveryState = Type.Enum(WEBHOOK_DELIVERY_STATES, {
  title: 'WebhookDeliveryState',
  description:
    '`pending`: an event is waiting to be delivered. `delivered`: all events are delivered. `failed`: delivery failed too often; replay it.',
})

export const WebhookDeliveryView = namedObject('WebhookDelivery', {
  message_id: nullable(Type.Unsafe<string>({ ...MessageIdText, description: 'Null for an alert.' })),
  alert_id: nullable(
    Type.Unsafe<string>({
      ...MessageIdText,
      description: 'Null for a message. The `webhook-id` is `alert_{alert_id}`.',
    }),
  ),
  event_type: nullable(
    Type.Enum([...ALERT_KINDS], {
      title: 'AlertType',
      description: 'The type of the alert; null for the events of a message.',
    }),
  ),
  endpoint_id: Type.String({ description: '`callback` is the `callback_url` of the message.', examples: ['orders'] }),
  endpoint_url: nullable(
    Type.String({
      description:
        'The URL of the endpoint, or the `callback_url` in a list of one message; its query is hidden. Otherwise null.',
      examples: ['https://acme.example/hooks/pombo?***'],
    }),
  ),
  state: WebhookDeliveryState,
  failures: Type.Integer({ description: 'Failed calls for the next event.', examples: [0] }),
  due_at: nullable(
    Type.Unsafe<string>({ ...Time, description: 'Null when nothing is pending or the endpoint is disabled.' }),
  ),
  last_status: nullable(Type.Integer({ description: 'The last HTTP status of the endpoint.', examples: [204] })),
  last_error: nullable(Type.String({ description: 'Why the last call failed.' })),
  tried_at: nullable(Time),
  created_at: Time,
  updated_at: Time,
})

/** `url` is that of its endpoint, if it is known. */
export const toWebhookDeliveryView = (
  delivery: WebhookDelivery,
  url: string | undefined,
): Static<typeof WebhookDeliveryView> => ({
  message_id: delivery.alert === undefined ? delivery.subjectId : null,
  alert_id: delivery.alert?.id ?? null,
  event_type: delivery.alert?.kind ?? null,
  endpoint_id: delivery.endpointId,
  endpoint_url: url === undefined ? null : withoutQuery(url),
  state: delivery.state,
  failures: delivery.failures,
  due_at: isoOrNull(delivery.dueAt),
  last_status: delivery.lastStatus ?? null,
  last_error: delivery.lastError ?? null,
  tried_at: isoOrNull(delivery.triedAt),
  created_at: toIso(delivery.createdAt),
  updated_at: toIso(delivery.updatedAt),
})
