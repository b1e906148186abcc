/** The suppressed addresses of each tenant. Expired entries count as missing. */
import type { EmailAddress } from '../domain/email/address.ts'
import type { Suppression, SuppressionReason } from '../domain/email/suppression.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Instant } from '../lib/time.ts'

export type SuppressionQuery = Readonly<{
  tenantId: TenantId
  reason?: SuppressionReason
  /** A prefix of the address or of its domain. */
  text?: string
  at: Instant
  limit: number
  cursor?: string
}>

/** Newest first. `nextCursor` is missing on the last page. */
export type SuppressionPage = Readonly<{ suppressions: readonly Suppression[]; nextCursor?: string }>

export interface Suppressions {
  /** Adds an entry, or replaces the existing one if it `succeeds` it: see domain/email/suppression.ts. */
  add(suppression: Suppression): Promise<void>

  /** The suppressed ones among these addresses, which are in the form of `toComparableAddress`. */
  find(tenantId: TenantId, addresses: readonly EmailAddress[], at: Instant): Promise<readonly Suppression[]>

  /** True if it existed, expired or not. */
  remove(tenantId: TenantId, address: EmailAddress): Promise<boolean>

  list(query: SuppressionQuery): Promise<SuppressionPage>
}
