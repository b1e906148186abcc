/**
 * The routes of the cluster profile. Every process caches them all and polls for changes several times a second, so
 * sending a message needs no query. While PostgreSQL is unreachable the cached routes apply.
 */
import type { TenantId } from '../../domain/ids.ts'
import { type RouteChange, RouteTable } from '../../domain/routing/route-table.ts'
import type { OwnRoute, Route } from '../../domain/routing/routing.ts'
import type { RouteBook } from '../../ports/routes.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { toDirections, toOwnRoute } from '../shared/rows.ts'
import { Database, openPool, type Rows } from './database.ts'
import { checkSchema } from './schema.ts'
import { awaitPropagation, TablePoller } from './table-poller.ts'

export type RoutesOptions = Readonly<{
  url: string
  /** The routes of the operator's file. */
  file: readonly Route[]
  /** Called once per outage of PostgreSQL. */
  onFault: (error: unknown) => void
  /** Resolves when every healthy process has polled what was just written. */
  whenPropagated?: () => Promise<unknown>
}>

export type PostgresRoutes = RouteBook &
  AsyncDisposable &
  Readonly<{
    /** Whether this process has ever loaded them. */
    isLoaded: () => boolean
  }>

/** One for polling and one for changes, so that searches do not delay them. */
const CONNECTIONS = 2

/** Opens even while PostgreSQL is unreachable, then without routes until it is back; refuses an incompatible schema. */
export async function openRoutes({
  url,
  file,
  onFault,
  whenPropagated = awaitPropagation,
}: RoutesOptions): Promise<PostgresRoutes> {
  await using opened = new AsyncDisposableStack()
  const db = opened.use(new Database(openPool(url, CONNECTIONS), checkSchema))
  await db.ready().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
  })
  const known = new RouteTable(file)
  const poller = opened.use(
    new TablePoller({ db, changed: toChanged, onRow: (row) => known.apply(toChange(row)), onFault }),
  )
  await poller.start()

  async function write(tenantId: TenantId, text: string, values: unknown[]): Promise<OwnRoute | undefined> {
    const [change] = (await db.asTenant(tenantId, text, values, [VERSION_LOCK])).map(toChange)
    if (change === undefined) return undefined
    known.apply(change, false)
    await whenPropagated()
    return change.route
  }

  const all = opened.move()
  return {
    isLoaded: () => poller.isLoaded,
    of: (tenantId) => (poller.isLoaded ? known.of(tenantId) : undefined),

    add: (route, most = Number.MAX_SAFE_INTEGER) => {
      const { tenantId, id, own } = route
      return write(tenantId, ADD, [tenantId, id, toDirections(route), own.createdAt, own.updatedAt, most])
    },

    change: (route) => {
      const { tenantId, id, own } = route
      return write(tenantId, CHANGE, [id, own.version, toDirections(route), own.updatedAt])
    },

    remove: async (tenantId, id) => (await write(tenantId, REMOVE, [id])) !== undefined,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Any number, as long as no other program locks it in this database. Only the holder of the lock draws a version. */
const VERSION_LOCK = { text: 'select pg_advisory_xact_lock(7026622)' }

const toChanged = (version: number, limit: number): string =>
  `select * from pombo.routes where version > ${version} order by version limit ${limit}`

const ADD = `
  insert into pombo.routes (tenant, id, version, removed, directions, created_at, updated_at)
  select $1, $2, nextval('pombo.route_versions'), false, $3, $4::bigint, $5::bigint
  where (select count(*) from pombo.routes where tenant = $1 and not removed) < $6
  on conflict (tenant, id) do update set version = excluded.version, removed = false,
    directions = excluded.directions, created_at = excluded.created_at, updated_at = excluded.updated_at
  where routes.removed
  returning *
`

const CHANGE = `
  update pombo.routes set version = nextval('pombo.route_versions'), directions = $3, updated_at = $4
  where id = $1 and version = $2 and not removed
  returning *
`

const REMOVE = `
  update pombo.routes set version = nextval('pombo.route_versions'), removed = true
  where id = $1 and not removed
  returning *
`

const toChange = (row: Rows[number]): RouteChange => ({ route: toOwnRoute(row), removed: row['removed'] === true })
