/** An endpoint and its webhookDeliveries as the gateway tells them, and how well it is. */
import type { paths } from '../../api/schema.gen.d.ts'
import type { Tone } from '../../ui/parts.tsx'

type Endpoints = paths['/v1/endpoints']['get']['responses'][200]['content']['application/json']
export type Endpoint = Endpoints['items'][number]
export type EventType = Endpoint['events'][number]

type WebhookDeliveries = paths['/v1/endpoints/{id}/deliveries']['get']['responses'][200]['content']['application/json']
export type WebhookDelivery = WebhookDeliveries['items'][number]
export type WebhookDeliveryState = WebhookDelivery['state']
export type Secret = paths['/v1/endpoints/{id}/secret']['get']['responses'][200]['content']['application/json']

export const EVENT_TYPES = [
  'message.queued',
  'message.sending',
  'message.sent',
  'message.delivered',
  'message.failed',
  'message.expired',
] as const satisfies readonly EventType[]

export const DELIVERY_STATES = ['pending', 'told', 'given_up'] as const satisfies readonly WebhookDeliveryState[]

/** Told, though nothing was said: nothing that became of the message is for this endpoint. */
type WebhookDeliveryStanding = WebhookDeliveryState | 'nothing'

export const DELIVERY_TONES: Readonly<Record<WebhookDeliveryStanding, Tone>> = {
  pending: 'info',
  told: 'good',
  given_up: 'bad',
  nothing: 'quiet',
}

export const standingOf = ({
  state,
  tried_at,
}: Pick<WebhookDelivery, 'state' | 'tried_at'>): WebhookDeliveryStanding =>
  state === 'told' && tried_at === null ? 'nothing' : state

type Health = 'healthy' | 'failing' | 'by_hand' | 'failed' | 'gone'

export const HEALTH_TONES: Readonly<Record<Health, Tone>> = {
  healthy: 'good',
  failing: 'warn',
  by_hand: 'quiet',
  failed: 'bad',
  gone: 'bad',
}

export function healthOf({ enabled, disabled_reason, failing_since }: Endpoint): Health {
  if (enabled) return failing_since === null ? 'healthy' : 'failing'
  if (disabled_reason === 'failing') return 'failed'
  return disabled_reason === 'gone' ? 'gone' : 'by_hand'
}

export const toAddress = (id: string): string => `/webhooks?${new URLSearchParams({ endpoint: id })}`
