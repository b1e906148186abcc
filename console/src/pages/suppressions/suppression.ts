/** An address that gets no more mail, as the gateway tells it. */
import type { paths } from '../../api/schema.gen.d.ts'

type Call = paths['/v1/suppressions']['get']
export type Suppression = Call['responses'][200]['content']['application/json']['items'][number]
export type Reason = Suppression['reason']

export const REASONS = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const satisfies readonly Reason[]

/** Those that a person may give. */
export const PERSONAL_REASONS = ['manual', 'unsubscribe'] as const
export type PersonalReason = (typeof PERSONAL_REASONS)[number]

/** What a datetime-local input holds, as the gateway reads it; nothing when it is empty. */
export const toExpiry = (local: string): { expires_at?: string } =>
  local === '' ? {} : { expires_at: new Date(local).toISOString() }
