/** The schemas of alerts, by type, and of the integration event that some are published as. They are public: docs/events. */
import { type TSchema, Type } from 'typebox'
import { MESSAGE_QUOTAS } from '../../domain/access/quotas.ts'
import { QUOTA_FIELDS } from '../../domain/access/tenant-fields.ts'
import { MODES } from '../../domain/access/test-mode.ts'
import type { AlertKind } from '../../domain/alerts/alert.ts'
import { BREAKER_EVENT } from '../../domain/alerts/provider-event.ts'
import { Time } from '../http/schemas.ts'

const CLOSED = { additionalProperties: false }

const Provider = Type.String({ description: 'The name of the provider.', examples: ['twilio'] })
const OpenedAt = Type.Unsafe<string>({ ...Time, description: 'When the circuit breaker opened.' })
const PeriodSeconds = Type.Integer({ description: 'The time in which it was counted.', examples: [600] })

const QUOTA = {
  tenant_id: Type.String({ examples: ['acme'] }),
  mode: Type.Enum(MODES, { description: 'Test mode has quotas of its own.' }),
  quota: Type.Enum(MESSAGE_QUOTAS.map((quota) => QUOTA_FIELDS[quota])),
  limit: Type.Integer({ minimum: 0, examples: [1000] }),
  used: Type.Integer({ minimum: 0, examples: [800] }),
}
const BREAKER = { provider: Provider, opened_at: OpenedAt }
const RATES = {
  provider: Provider,
  success_rate: Type.Number({ description: 'The share of recent results that were good.', examples: [0.61] }),
  usual_rate: Type.Number({ description: 'The share in the day before.', examples: [0.98] }),
  results: Type.Integer({ description: 'How many recent results there are.', examples: [420] }),
  period_seconds: PeriodSeconds,
}

const WARNING = 'A tenant uses 80 % of a quota of messages.'
const EXCEEDED = 'A tenant has used up a quota of messages: sends are refused with 507.'

const DATA: Readonly<Record<AlertKind, readonly [description: string, data: Record<string, TSchema>]>> = {
  'quota.warning': [WARNING, QUOTA],
  'quota.exceeded': [EXCEEDED, QUOTA],
  'tenant.quota_warning': [`For operators: ${WARNING}`, QUOTA],
  'tenant.quota_exceeded': [`For operators: ${EXCEEDED}`, QUOTA],
  'provider.breaker_opened': ['For operators: the circuit breaker of a provider has opened.', BREAKER],
  'provider.breaker_closed': ['For operators: it has closed.', BREAKER],
  'provider.degraded': ['For operators: fewer calls to a provider, or of its messages, succeed than usual.', RATES],
  'provider.recovered': ['For operators: they succeed as usual again.', RATES],
  'dead_letters.high': [
    'For operators: many messages became dead letters within an hour.',
    {
      count: Type.Integer({ examples: [140] }),
      threshold: Type.Integer({ description: '`alerts.dead_letters_per_hour`.', examples: [100] }),
      period_seconds: PeriodSeconds,
    },
  ],
}

/** The bodies of webhooks. */
export const ALERT_SCHEMAS: Readonly<Record<string, TSchema>> = Object.fromEntries(
  Object.entries(DATA).map(([type, [description, data]]) => [
    type,
    Type.Object(
      { type: Type.Literal(type), timestamp: Time, data: Type.Object(data, CLOSED) },
      { ...CLOSED, description },
    ),
  ]),
)

export const BREAKER_EVENT_SCHEMA: Readonly<Record<string, TSchema>> = {
  [BREAKER_EVENT]: Type.Object(
    { provider: Provider, newState: Type.Enum(['open', 'closed']), openedAt: OpenedAt, at: Time },
    { ...CLOSED, description: 'The circuit breaker of a provider has opened or closed.' },
  ),
}
