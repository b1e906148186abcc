/**
 * The tenants of the cluster profile. Every process caches them all and polls for changes several times a second, so
 * asking for one needs no query. While PostgreSQL is unreachable the cached tenants apply.
 */
import type { Tenant } from '../../../domain/access/tenant.ts'
import { TenantTable } from '../../../domain/access/tenant-table.ts'
import type { StoredTenant, Tenants } from '../../../ports/tenants.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { toDescription, toStoredTenant } from '../../shared/tenant-rows.ts'
import { Database, openPool } from '../database.ts'
import { checkSchema } from '../schema.ts'
import { awaitPropagation, TablePoller } from '../table-poller.ts'

export type TenantsOptions = Readonly<{
  url: string
  /** The tenants of the operator's file. */
  file: readonly Tenant[]
  /** Called once per outage of PostgreSQL. */
  onFault: (error: unknown) => void
  /** Resolves when every healthy process has polled what was just written. */
  whenPropagated?: () => Promise<unknown>
}>

/** One for polling and one for changes, so that searches do not delay them. */
const CONNECTIONS = 2

/**
 * Opens even while PostgreSQL is unreachable, then only with the tenants of the file until it is back; refuses an
 * incompatible schema.
 */
export async function openTenants({
  url,
  file,
  onFault,
  whenPropagated = awaitPropagation,
}: TenantsOptions): Promise<Tenants & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const db = opened.use(new Database(openPool(url, CONNECTIONS), checkSchema))
  await db.ready().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
  })
  const known = new TenantTable(file)
  const onRow = (row: Readonly<Record<string, unknown>>): void => known.apply(toStoredTenant(row))
  const poller = opened.use(new TablePoller({ db, changed: toChanged, onRow, onFault }))
  await poller.start()

  async function write(text: string, values: unknown[]): Promise<StoredTenant | undefined> {
    const [tenant] = (await db.asSystem(text, values, [VERSION_LOCK])).map(toStoredTenant)
    if (tenant === undefined) return undefined
    known.apply(tenant)
    await whenPropagated()
    return tenant
  }

  const all = opened.move()
  return {
    of: (tenantId) => known.of(tenantId),
    isLoaded: () => poller.isLoaded,
    list: () => known.list(),

    async add(tenant) {
      const { id, own } = tenant
      // This process knows the tenants of its file; the table decides about all others.
      const described = known.of(id)
      if (described !== undefined && described.own === undefined) return undefined
      return write(ADD, [id, toDescription(tenant), own.createdAt, own.updatedAt])
    },

    change: (tenant) => {
      const { id, own } = tenant
      return write(CHANGE, [id, own.version, toDescription(tenant), own.updatedAt])
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Any number, as long as no other program locks it in this database. Only the holder of the lock draws a version. */
const VERSION_LOCK = { text: 'select pg_advisory_xact_lock(7026623)' }

const toChanged = (version: number, limit: number): string =>
  `select * from pombo.tenants where version > ${version} order by version limit ${limit}`

const ADD = `
  insert into pombo.tenants (tenant, version, description, created_at, updated_at)
  values ($1, nextval('pombo.tenant_versions'), $2, $3, $4)
  on conflict (tenant) do nothing
  returning *
`

const CHANGE = `
  update pombo.tenants set version = nextval('pombo.tenant_versions'), description = $3, updated_at = $4
  where tenant = $1 and version = $2
  returning *
`
