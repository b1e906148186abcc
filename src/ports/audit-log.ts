/** The audit log. No port changes or deletes an entry. */
import type { AuditEntry, AuditId } from '../domain/access/audit.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Instant } from '../lib/time.ts'

export type AuditFilter = Readonly<{
  /** Of this tenant; of all tenants and of the operator when missing. */
  tenantId?: TenantId
  action?: string
  /** The id of a user or an API key, or the subject of a token. */
  actor?: string
  /** The id of the resource. */
  target?: string
  /** The first is inclusive, the second exclusive. */
  from?: Instant
  to?: Instant
}>

export type AuditQuery = AuditFilter &
  Readonly<{
    /** Only older entries. */
    before?: AuditId
    limit: number
  }>

export interface AuditLog {
  /** False if an entry with this id exists already; it stays as it is. */
  append(entry: AuditEntry): Promise<boolean>

  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>
}
