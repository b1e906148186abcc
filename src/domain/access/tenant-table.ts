/**
 * All described tenants in memory: those of the operator's file and those created by the API. Changes may arrive in any
 * order and more than once; the newest version counts.
 */
import type { TenantId } from '../ids.ts'
import type { OwnTenant, Tenant } from './tenant.ts'
import { liveTenantOf } from './test-mode.ts'

type StoredTenant = Tenant & Readonly<{ own: OwnTenant }>

export class TenantTable {
  readonly #tenants: Map<TenantId, Tenant>
  #listed: readonly Tenant[] | undefined

  constructor(file: readonly Tenant[]) {
    this.#tenants = new Map(file.map((tenant) => [tenant.id, tenant]))
  }

  /** A tenant of the file stays as it is there. */
  apply(tenant: StoredTenant): void {
    const known = this.#tenants.get(tenant.id)
    if (known !== undefined && (known.own === undefined || known.own.version > tenant.own.version)) return
    this.#tenants.set(tenant.id, tenant)
    this.#listed = undefined
  }

  /** A test tenant is described by its live tenant. */
  of(tenantId: TenantId): Tenant | undefined {
    return this.#tenants.size === 0 ? undefined : this.#tenants.get(liveTenantOf(tenantId))
  }

  /** Ordered by id. */
  list(): readonly Tenant[] {
    this.#listed ??= [...this.#tenants.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
    return this.#listed
  }
}
