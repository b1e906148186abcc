/** Tenants in memory, for tests. */
import type { Tenant } from '../../src/domain/access/tenant.ts'
import { TenantTable } from '../../src/domain/access/tenant-table.ts'
import type { NewTenant, StoredTenant, Tenants } from '../../src/ports/tenants.ts'

export function memoryTenants(file: readonly Tenant[] = []): Tenants {
  const known = new TenantTable(file)
  let version = 0

  function keep(wanted: NewTenant): StoredTenant {
    version += 1
    const tenant = { ...wanted, own: { ...wanted.own, version } }
    known.apply(tenant)
    return tenant
  }

  return {
    of: (tenantId) => known.of(tenantId),
    isLoaded: () => true,
    add: async (tenant) => (known.of(tenant.id) === undefined ? keep(tenant) : undefined),
    change: async (tenant) => (known.of(tenant.id)?.own?.version === tenant.own.version ? keep(tenant) : undefined),
    list: () => known.list(),
  }
}
