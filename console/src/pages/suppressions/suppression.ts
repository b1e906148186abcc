/** An entry of the suppression list. */
import type { components } from '../../api/schema.gen.d.ts'

export type Suppression = components['schemas']['Suppression']
export type Reason = components['schemas']['SuppressionReason']

export const REASONS = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const satisfies readonly Reason[]

/** The reasons that a person can choose. */
export const PERSONAL_REASONS = ['manual', 'unsubscribe'] as const
export type PersonalReason = (typeof PERSONAL_REASONS)[number]

/** Without a time it is permanent. */
export const toExpiry = (until: string | undefined): { expires_at?: string } =>
  until === undefined ? {} : { expires_at: until }
