/**
 * The payloads of test events: complete, valid and recognisable. No message has the id, which is neither a UUIDv7 nor a
 * UUIDv8 as ours are.
 */
import { type Instant, later, millis, seconds, toIso } from '../../lib/time.ts'
import { ALERT_KINDS, type Alert, type AlertKind, type Notice } from '../alerts/alert.ts'
import type { AlertId, MessageId, ProviderName, TenantId } from '../ids.ts'
import type { Status } from '../message/states.ts'
import { type Endpoint, subscribesTo, WEBHOOK_EVENT_TYPES, type WebhookEventType } from './endpoint.ts'
import { type MessageData, toAlertPayload, type WebhookPayload } from './payload.ts'

const EXAMPLE_ID = '00000000-0000-4000-8000-000000000000'
const PROVIDER = 'example' as ProviderName

/** The first that the endpoint subscribes to. */
export const firstEventOf = (endpoint: Pick<Endpoint, 'events'>): WebhookEventType | undefined =>
  WEBHOOK_EVENT_TYPES.find((type) => subscribesTo(endpoint, type))

export const toExamplePayload = (type: WebhookEventType, tenantId: TenantId, at: Instant): WebhookPayload =>
  isAlert(type)
    ? toAlertPayload({ ...exampleNotice(type, tenantId, at), id: EXAMPLE_ID as AlertId, at } as Alert)
    : { type, timestamp: toIso(at), data: exampleMessage(type.slice('message.'.length) as Status, at) }

const isAlert = (type: WebhookEventType): type is AlertKind => ALERT_KINDS.some((kind) => kind === type)

type Example = Pick<MessageData, 'previous_status' | 'attempts'> & Readonly<{ error?: readonly [string, string] }>

const EXAMPLES: Readonly<Record<Status, Example>> = {
  queued: { previous_status: null, attempts: 0 },
  sending: { previous_status: 'queued', attempts: 1 },
  sent: { previous_status: 'sending', attempts: 1 },
  delivered: { previous_status: 'sent', attempts: 1 },
  failed: { previous_status: 'sent', attempts: 1, error: ['UNREACHABLE', 'the phone cannot be reached'] },
  expired: { previous_status: 'queued', attempts: 0, error: ['EXPIRED', 'its time was over before it could be sent'] },
}

function exampleMessage(status: Status, at: Instant): MessageData {
  const { previous_status, attempts, error } = EXAMPLES[status]
  return {
    message_id: EXAMPLE_ID as MessageId,
    status,
    previous_status,
    channel: 'sms',
    type: 'sms',
    to: '+*******4321',
    provider: attempts === 0 ? null : PROVIDER,
    provider_message_id: attempts === 0 || status === 'sending' ? null : 'example-1',
    error_code: error?.[0] ?? null,
    error_detail: error?.[1] ?? null,
    attempts,
    cycle: 1,
    segments: 1,
    metadata: { test: 'true' },
    tags: ['test'],
    created_at: toIso(later(at, millis(-3_000))),
    occurred_at: toIso(at),
  }
}

function exampleNotice(kind: AlertKind, tenantId: TenantId, at: Instant): Notice {
  switch (kind) {
    case 'quota.warning':
    case 'tenant.quota_warning':
      return { kind, tenantId, quota: 'waitingMessages', limit: 100_000, used: 80_012 }
    case 'quota.exceeded':
    case 'tenant.quota_exceeded':
      return { kind, tenantId, quota: 'waitingMessages', limit: 100_000, used: 100_000 }
    case 'provider.breaker_opened':
    case 'provider.breaker_closed':
      return { kind, provider: PROVIDER, openedAt: at }
    case 'provider.degraded':
    case 'provider.recovered':
      return { kind, provider: PROVIDER, ...RATES[kind], usualRate: 0.98, results: 420, period: seconds(600) }
    case 'dead_letters.high':
      return { kind, count: 140, threshold: 100, period: seconds(3600) }
  }
}

const RATES = { 'provider.degraded': { successRate: 0.61 }, 'provider.recovered': { successRate: 0.97 } } as const
