/** The tenants that an operator has described: in the file, which is read-only here, or by the API. All are in memory. */
import type { OwnTenant, Tenant } from '../domain/access/tenant.ts'
import type { TenantId } from '../domain/ids.ts'

/** A new tenant; the store assigns its version. */
export type NewTenant = Omit<Tenant, 'own'> & Readonly<{ own: Omit<OwnTenant, 'version'> }>
/** A tenant that was created by the API. */
export type StoredTenant = Tenant & Readonly<{ own: OwnTenant }>

export interface Tenants {
  /** From memory; undefined when nobody has described the tenant. A test tenant is described by its live tenant. */
  of(tenantId: TenantId): Tenant | undefined

  /** False until this process has loaded them. */
  isLoaded(): boolean

  /** Resolves once every healthy process uses it. Undefined when the tenant is described already. */
  add(tenant: NewTenant): Promise<StoredTenant | undefined>

  /** Replaces the version that it carries. Undefined when that version is gone. */
  change(tenant: StoredTenant): Promise<StoredTenant | undefined>

  /** All, ordered by id, from memory: the same array until one of them changes. */
  list(): readonly Tenant[]
}
