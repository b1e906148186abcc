/** What an endpoint, its secrets and its webhook deliveries are made of in the API, and how they are shown. */
import { type Static, Type } from 'typebox'
import type { EndpointId } from '../../domain/ids.ts'
import { LONGEST_DESCRIPTION, LONGEST_URL } from '../../domain/requests/endpoint-request.ts'
import { DISABLED_REASONS, type Endpoint, WEBHOOK_EVENT_TYPES } from '../../domain/webhooks/endpoint.ts'
import { toIso } from '../../lib/time.ts'
import { WEBHOOK_DELIVERY_STATES, type WebhookDelivery } from '../../ports/webhook-deliveries.ts'
import { nullable, RequestId, Time } from '../http/schemas.ts'

const CLOSED = { additionalProperties: false }

export const WEEK_SECONDS = 604_800
export const DAY_SECONDS = 86_400

const Id = Type.Unsafe<EndpointId>(
  Type.String({
    description: 'One is made where it is missing.',
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    examples: ['orders'],
  }),
)
const Url = Type.String({
  description: 'An http or https URL without credentials and without a fragment. Use https.',
  maxLength: LONGEST_URL,
  examples: ['https://acme.example/hooks/pombo'],
})
const Description = Type.String({
  description: 'For people.',
  minLength: 1,
  maxLength: LONGEST_DESCRIPTION,
  examples: ['Order service'],
})
const Events = Type.Array(Type.Enum(WEBHOOK_EVENT_TYPES), {
  description: 'Of which changes it is told; of all where this is empty.',
  uniqueItems: true,
  examples: [['message.delivered', 'message.failed']],
})

export const Addition = Type.Object(
  {
    id: Type.Optional(Id),
    url: Url,
    description: Type.Optional(Description),
    events: Type.Optional(Events),
  },
  { ...CLOSED, examples: [{ id: 'orders', url: 'https://acme.example/hooks/pombo', events: ['message.delivered'] }] },
)

export const Changes = Type.Partial(
  Type.Object({
    url: Url,
    description: nullable(Description),
    events: Events,
    enabled: Type.Boolean({
      description: 'True also makes what is pending due at once, whatever it was waiting for.',
    }),
  }),
  { ...CLOSED, minProperties: 1, examples: [{ url: 'https://acme.example/hooks/new', enabled: true }] },
)
export type Changes = Static<typeof Changes>

export const ShownEndpoint = Type.Object({
  id: Id,
  url: Url,
  description: nullable(Description),
  events: Events,
  enabled: Type.Boolean({
    description: 'One that is not is told nothing. What it misses waits for it, for seven days.',
  }),
  disabled_reason: nullable(
    Type.Enum(DISABLED_REASONS, {
      description:
        '`by_hand`: somebody said so. `failing`: every call has failed for five days. `gone`: it answered 410.',
    }),
  ),
  failing_since: nullable(Type.Unsafe<string>({ ...Time, description: 'Since when every call has failed.' })),
  created_at: Time,
  updated_at: Type.Unsafe<string>({ ...Time, description: 'When somebody changed it last.' }),
})

export const toShownEndpoint = (endpoint: Endpoint): Static<typeof ShownEndpoint> => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description ?? null,
  events: [...endpoint.events],
  enabled: endpoint.disabled === undefined,
  disabled_reason: endpoint.disabled ?? null,
  failing_since: orNull(endpoint.failingSince, toIso),
  created_at: toIso(endpoint.createdAt),
  updated_at: toIso(endpoint.updatedAt),
})

const Secret = Type.String({
  description: 'As Standard Webhooks has it: the key is the base64 after `whsec_`.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
})
export const Made = Type.Object({ ...ShownEndpoint.properties, secret: Secret })
export const Secrets = Type.Object({
  secret: Secret,
  previous_secret: nullable(Type.Unsafe<string>({ ...Secret, description: 'The one before, while it signs too.' })),
  previous_secret_until: nullable(Time),
})
export const Rotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WEEK_SECONDS,
        default: DAY_SECONDS,
        description: 'How long the secret until now signs too. A day unless said otherwise.',
      }),
    ),
  },
  { ...CLOSED, examples: [{ overlap_seconds: DAY_SECONDS }] },
)

export const WebhookDeliveryStateName = Type.Enum(WEBHOOK_DELIVERY_STATES, {
  description:
    '`pending`: there is something to tell. `told`: there is not. `given_up`: it failed too often; a replay tells it.',
})

export const ShownWebhookDelivery = Type.Object({
  message_id: RequestId,
  endpoint_id: Type.String({ description: '`callback` is the `callback_url` of the message.', examples: ['orders'] }),
  state: WebhookDeliveryStateName,
  failures: Type.Integer({ description: 'How often telling the next event has failed.', examples: [0] }),
  due_at: nullable(Type.Unsafe<string>({ ...Time, description: 'Null where nothing is to be told, or nobody.' })),
  last_status: nullable(Type.Integer({ description: 'What was answered last.', examples: [204] })),
  last_error: nullable(Type.String({ description: 'Why the last call failed.' })),
  tried_at: nullable(Time),
  created_at: Time,
  updated_at: Time,
})

export const toShownWebhookDelivery = (delivery: WebhookDelivery): Static<typeof ShownWebhookDelivery> => ({
  message_id: delivery.messageId,
  endpoint_id: delivery.endpointId,
  state: delivery.state,
  failures: delivery.failures,
  due_at: orNull(delivery.dueAt, toIso),
  last_status: delivery.lastStatus ?? null,
  last_error: delivery.lastError ?? null,
  tried_at: orNull(delivery.triedAt, toIso),
  created_at: toIso(delivery.createdAt),
  updated_at: toIso(delivery.updatedAt),
})

const orNull = <Known, Shown>(value: Known | undefined, show: (value: Known) => Shown): Shown | null =>
  value === undefined ? null : show(value)
