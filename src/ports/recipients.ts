/** The directories of tenants. A removed entry keeps its id and loses all personal data. */

import type { DirectoryEntry, RecipientId } from '../domain/directory/recipient.ts'
import type { TenantId } from '../domain/ids.ts'

/** By our id, or by the tenant's external id. */
export type RecipientName = Readonly<{ id: RecipientId } | { externalId: string }>

export type RecipientPage = Readonly<{ recipients: readonly DirectoryEntry[]; nextCursor?: string }>

export type RecipientQuery = Readonly<{
  tenantId: TenantId
  /** Word prefixes in the name, external id, phone number or email address; all must match. */
  text?: string
  limit: number
  cursor?: string
}>

export interface Recipients {
  /** `taken`: another entry of the tenant has its external id. `full`: the tenant has `most` entries already. */
  add(entry: DirectoryEntry, most?: number): Promise<'added' | 'taken' | 'full'>

  /** Replaces an entry; `absent` when it does not exist. */
  change(entry: DirectoryEntry): Promise<'changed' | 'taken' | 'absent'>

  find(tenantId: TenantId, name: RecipientName): Promise<DirectoryEntry | undefined>

  /** True if it existed. */
  remove(tenantId: TenantId, id: RecipientId): Promise<boolean>

  /** Newest first. */
  search(query: RecipientQuery): Promise<RecipientPage>
}
