/** The tenants created by the API in a table, and all tenants in memory: each is stored before it takes effect. */
import type { DatabaseSync } from 'node:sqlite'
import type { Tenant } from '../../../domain/access/tenant.ts'
import { TenantTable } from '../../../domain/access/tenant-table.ts'
import type { NewTenant, StoredTenant, Tenants } from '../../../ports/tenants.ts'
import { toDescription, toStoredTenant } from '../../shared/tenant-rows.ts'
import { type Driver, remote } from '../driver.ts'
import type { StoreMethods } from '../store.ts'

export const TENANT_TABLES = `
  create table tenants (
    tenant text primary key,
    version integer not null,
    description text not null, -- JSON
    created_at integer not null,
    updated_at integer not null
  ) strict, without rowid;

  -- Limits that operators have set for tenants, beside those that tenants set for themselves.
  create table operator_limit_rules (
    tenant text not null,
    scope text not null,
    key text not null,
    shown text not null,
    max_count integer not null,
    window_ms integer not null,
    algorithm text not null,
    version integer not null,
    updated_at integer not null,
    primary key (tenant, scope, key)
  ) strict, without rowid;
`

export async function openTenants(driver: Driver<StoreMethods>, file: readonly Tenant[]): Promise<Tenants> {
  const known = new TenantTable(file)
  const table = remote(driver, 'tenants')
  const stored = await table.all()
  for (const tenant of stored) known.apply(tenant)
  let lastVersion = stored.reduce((last, { own }) => Math.max(last, own.version), 0)

  function withVersion(tenant: NewTenant): StoredTenant {
    lastVersion += 1
    return { ...tenant, own: { ...tenant.own, version: lastVersion } }
  }

  /** Only a stored tenant takes effect. */
  async function keep(tenant: StoredTenant, storing: Promise<boolean>): Promise<StoredTenant | undefined> {
    if (!(await storing)) return undefined
    known.apply(tenant)
    return tenant
  }

  return {
    of: (tenantId) => known.of(tenantId),
    isLoaded: () => true,
    list: () => known.list(),

    async add(wanted) {
      if (known.of(wanted.id) !== undefined) return undefined
      const tenant = withVersion(wanted)
      return keep(tenant, table.add(tenant))
    },

    async change(wanted) {
      const tenant = withVersion(wanted)
      return keep(tenant, table.change(tenant, wanted.own.version))
    },
  }
}

export function tenantTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    reads: {
      all: () => sql.all.all().map(toStoredTenant),
    },
    writes: {
      /** Returns false if the tenant exists. */
      add(tenant: StoredTenant): boolean {
        const { id, own } = tenant
        return sql.add.run(id, own.version, toDescription(tenant), own.createdAt, own.updatedAt).changes === 1
      },
      /** Returns false unless the tenant has the version `replaced`. */
      change(tenant: StoredTenant, replaced: number): boolean {
        const { id, own } = tenant
        return sql.change.run(own.version, toDescription(tenant), own.updatedAt, id, replaced).changes === 1
      },
    },
  }
}

function prepare(db: DatabaseSync) {
  return {
    all: db.prepare('select * from tenants'),
    add: db.prepare(`
      insert into tenants (tenant, version, description, created_at, updated_at) values (?, ?, ?, ?, ?)
      on conflict do nothing
    `),
    change: db.prepare(
      'update tenants set version = ?, description = ?, updated_at = ? where tenant = ? and version = ?',
    ),
  }
}
