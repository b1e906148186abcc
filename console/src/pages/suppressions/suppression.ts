/** An entry of the suppression list. */
import type { paths } from '../../api/schema.gen.d.ts'
import { fromLocalTime } from '../../ui/time.tsx'

type Call = paths['/v1/suppressions']['get']
export type Suppression = Call['responses'][200]['content']['application/json']['items'][number]
export type Reason = Suppression['reason']

export const REASONS = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const satisfies readonly Reason[]

/** The reasons that a person can choose. */
export const PERSONAL_REASONS = ['manual', 'unsubscribe'] as const
export type PersonalReason = (typeof PERSONAL_REASONS)[number]

/** Converts the value of a datetime-local input; empty means permanent. */
export function toExpiry(local: string): { expires_at?: string } {
  const at = fromLocalTime(local)
  return at === undefined ? {} : { expires_at: at }
}
