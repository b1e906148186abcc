/** The directory of each tenant. What is removed keeps its id and forgets the person. */

import type { DirectoryEntry, RecipientId } from '../domain/directory/recipient.ts'
import type { TenantId } from '../domain/ids.ts'

/** By our id, or by what the tenant calls them. */
export type RecipientName = Readonly<{ id: RecipientId } | { externalId: string }>

export type RecipientPage = Readonly<{ recipients: readonly DirectoryEntry[]; nextCursor?: string }>

export type RecipientQuery = Readonly<{
  tenantId: TenantId
  /** Beginnings of words of the name, of the external id, of the phone number or of the email address; all must occur. */
  text?: string
  limit: number
  cursor?: string
}>

export interface Recipients {
  /** `taken` when another of the tenant has its external id. */
  add(entry: DirectoryEntry): Promise<'added' | 'taken'>

  /** Replaces what is known of them; `absent` when there is no such one, or not any more. */
  change(entry: DirectoryEntry): Promise<'changed' | 'taken' | 'absent'>

  find(tenantId: TenantId, name: RecipientName): Promise<DirectoryEntry | undefined>

  /** Whether there was one. */
  remove(tenantId: TenantId, id: RecipientId): Promise<boolean>

  /** Newest first. */
  search(query: RecipientQuery): Promise<RecipientPage>
}
