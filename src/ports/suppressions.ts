/** The addresses that a tenant's mail does not go to. An entry whose time is over is as if it were not there. */
import type { EmailAddress } from '../domain/email/address.ts'
import type { Suppression, SuppressionReason } from '../domain/email/suppression.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Instant } from '../lib/time.ts'

export type SuppressionQuery = Readonly<{
  tenantId: TenantId
  reason?: SuppressionReason
  /** The beginning of an address, or of its domain. */
  text?: string
  at: Instant
  limit: number
  cursor?: string
}>

/** Newest first. `nextCursor` is missing on the last page. */
export type SuppressionPage = Readonly<{ suppressions: readonly Suppression[]; nextCursor?: string }>

export interface Suppressions {
  /** Takes the place of what was known of the address where that `succeeds` it: see domain/suppression.ts. */
  add(suppression: Suppression): Promise<void>

  /** Which of these addresses are suppressed at that moment. Addresses are as `toComparableAddress` writes them. */
  find(tenantId: TenantId, addresses: readonly EmailAddress[], at: Instant): Promise<readonly Suppression[]>

  /** Whether it was there, be its time over or not. */
  remove(tenantId: TenantId, address: EmailAddress): Promise<boolean>

  list(query: SuppressionQuery): Promise<SuppressionPage>
}
