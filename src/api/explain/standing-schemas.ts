/** What explanations and preflights say of providers, limits and quotas as they stand now. */
import { type Static, Type } from 'typebox'
import { QUOTA_FIELDS } from '../../domain/access/tenant-fields.ts'
import { LIMIT_SCOPES } from '../../domain/limits/limits.ts'
import { BREAKER_STATES } from '../../domain/routing/breaker.ts'
import { Enums } from '../http/enums.ts'
import { namedObject, nullable, Time } from '../http/schemas.ts'

/** A time with a description of its own. */
export const timeOf = (description: string) => Type.Unsafe<string>({ ...Time, description })

export const ProviderStandingView = namedObject('ProviderStanding', {
  name: Type.String({ examples: ['twilio'] }),
  up: Type.Boolean({ description: 'Whether Pombo would call it now.' }),
  breaker_state: Type.Enum(BREAKER_STATES, { title: 'CircuitBreakerState' }),
  reason: Type.String({
    description: 'Why it is chosen, comes later, or cannot be called.',
    examples: ['circuit breaker open until 2030-01-31T12:03:40.000Z'],
  }),
  open_since: nullable(timeOf('Since when its circuit breaker has not been closed.')),
  retry_at: nullable(timeOf('When a call is permitted again, while the circuit breaker is open.')),
  paused_until: nullable(timeOf('Until when an operator has paused it.')),
})
export type ProviderStandingView = Static<typeof ProviderStandingView>

export const LimitStanding = namedObject('LimitStanding', {
  scope: Type.Enum([...LIMIT_SCOPES, 'otp'], {
    title: 'CountedScope',
    description: 'What the limit is for; `otp` is the limit on one-time codes per recipient.',
  }),
  key: nullable(
    Type.String({
      description: 'The id of the tenant or account, or the masked recipient. Null for the limit of a user.',
      examples: ['+*******4321'],
    }),
  ),
  set_by: nullable(Enums.LimitOwner({ description: 'Who has set it; null for a setting of the installation.' })),
  limit: Type.Integer({ examples: [100] }),
  window_seconds: Type.Number({ examples: [3600] }),
  used: Type.Integer({ examples: [97] }),
  remaining: Type.Integer({ examples: [3] }),
  resets_at: nullable(timeOf('When the count drops; null while nothing is counted.')),
  would_refuse: Type.Boolean({ description: 'Whether this limit is reached.' }),
})
export type LimitStanding = Static<typeof LimitStanding>

export const QuotaStanding = namedObject('QuotaStanding', {
  quota: Type.Enum([QUOTA_FIELDS.waitingMessages, QUOTA_FIELDS.storedBytes], { title: 'MessageQuotaName' }),
  limit: nullable(Type.Integer({ description: 'Null if there is no bound.', examples: [1_000_000] })),
  used: nullable(Type.Integer({ description: 'Null while it cannot be read.', examples: [1_200] })),
  would_refuse: Type.Boolean({ description: 'Whether messages are refused because of it.' }),
})
export type QuotaStanding = Static<typeof QuotaStanding>
