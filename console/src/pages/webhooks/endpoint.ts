/** Webhook endpoints and deliveries as the API returns them, and their derived states. */
import type { components } from '../../api/schema.gen.d.ts'
import type { Tone } from '../../ui/parts.tsx'

export type Endpoint = components['schemas']['Endpoint']
export type EventType = components['schemas']['WebhookEventType']

export type WebhookDelivery = components['schemas']['WebhookDelivery']
/** What a delivery is of. */
export type Subject = Pick<WebhookDelivery, 'message_id' | 'alert_id'>
export type WebhookDeliveryState = components['schemas']['WebhookDeliveryState']
export type Secret = components['schemas']['EndpointSecrets']

export const OWN_EVENT_TYPES = [
  'message.queued',
  'message.sending',
  'message.sent',
  'message.delivered',
  'message.failed',
  'message.expired',
  'quota.warning',
  'quota.exceeded',
] as const satisfies readonly EventType[]

/** Events of the installation and of other tenants: only operators may subscribe to them. */
export const OPERATOR_EVENT_TYPES = [
  'tenant.quota_warning',
  'tenant.quota_exceeded',
  'provider.breaker_opened',
  'provider.breaker_closed',
  'provider.degraded',
  'provider.recovered',
  'dead_letters.high',
] as const satisfies readonly EventType[]

export const EVENT_TYPES: readonly EventType[] = [...OWN_EVENT_TYPES, ...OPERATOR_EVENT_TYPES]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const satisfies readonly WebhookDeliveryState[]

/** `skipped`: the endpoint does not subscribe to any event of the message, so nothing was sent. */
type DisplayState = WebhookDeliveryState | 'skipped'

export const DELIVERY_TONES: Readonly<Record<DisplayState, Tone>> = {
  pending: 'info',
  delivered: 'good',
  failed: 'bad',
  skipped: 'quiet',
}

export const displayStateOf = ({ state, tried_at }: Pick<WebhookDelivery, 'state' | 'tried_at'>): DisplayState =>
  state === 'delivered' && tried_at === null ? 'skipped' : state

type Health = 'healthy' | 'failing' | 'manual' | 'failed' | 'gone'

export const HEALTH_TONES: Readonly<Record<Health, Tone>> = {
  healthy: 'good',
  failing: 'warn',
  manual: 'quiet',
  failed: 'bad',
  gone: 'bad',
}

export function healthOf({ enabled, disabled_reason, failing_since }: Endpoint): Health {
  if (enabled) return failing_since === null ? 'healthy' : 'failing'
  if (disabled_reason === 'failing') return 'failed'
  return disabled_reason === 'gone' ? 'gone' : 'manual'
}

export const subjectIdOf = ({ message_id, alert_id }: Subject): string => message_id ?? alert_id ?? ''

export const toAddress = (id: string): string => `/webhooks?${new URLSearchParams({ endpoint: id })}`
