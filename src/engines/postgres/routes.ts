/**
 * The routes of the cluster profile. Every process knows them all and asks several times a second what has
 * changed, so that a message that is sent asks nobody. While PostgreSQL is away the known ones go on.
 */
import type { TenantId } from '../../domain/ids.ts'
import { KnownRoutes, type ToldRoute } from '../../domain/routing/known-routes.ts'
import type { OwnRoute, Route } from '../../domain/routing/routing.ts'
import type { RouteBook } from '../../ports/routes.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { toDirections, toOwnRoute } from '../shared/rows.ts'
import { Database, openPool, type Rows } from './database.ts'
import { checkSchema } from './schema.ts'
import { settled, TablePoller } from './table-poller.ts'

export type RoutesOptions = Readonly<{
  url: string
  /** Those of the operator's file. */
  file: readonly Route[]
  /** Told once each time PostgreSQL is found to be away. */
  onFault: (error: unknown) => void
  /** Resolves when every healthy process has asked for what was just written. */
  settle?: () => Promise<unknown>
}>

export type PostgresRoutes = RouteBook &
  AsyncDisposable &
  Readonly<{
    /** Whether this process has ever got them. */
    known: () => boolean
  }>

/** One that asks for changes, and one for whoever makes them: search is not in their way. */
const CONNECTIONS = 2

/** Opens also while PostgreSQL is away; wrong tables are refused. Then no routes are known here, until it comes. */
export async function openRoutes({ url, file, onFault, settle = settled }: RoutesOptions): Promise<PostgresRoutes> {
  await using opened = new AsyncDisposableStack()
  const db = opened.use(new Database(openPool(url, CONNECTIONS), checkSchema))
  await db.ready().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
  })
  const known = new KnownRoutes(file)
  const following = opened.use(
    new TablePoller({ db, changed: CHANGED, tell: (row) => known.tell(toTold(row)), onFault }),
  )
  await following.start()

  async function write(tenantId: TenantId, text: string, values: unknown[]): Promise<OwnRoute | undefined> {
    const [told] = (await db.asTenant(tenantId, text, values, [TURN])).map(toTold)
    if (told === undefined) return undefined
    known.tell(told, false)
    await settle()
    return told.route
  }

  const all = opened.move()
  return {
    known: () => following.isKnown,
    of: (tenantId) => (following.isKnown ? known.of(tenantId) : undefined),

    add: (route) => {
      const { tenantId, id, own } = route
      return write(tenantId, ADD, [tenantId, id, toDirections(route), own.createdAt, own.updatedAt])
    },

    change: (route) => {
      const { tenantId, id, own } = route
      return write(tenantId, CHANGE, [id, own.version, toDirections(route), own.updatedAt])
    },

    remove: async (tenantId, id) => (await write(tenantId, REMOVE, [id])) !== undefined,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Any number, as long as no other program locks it in this database. A version is drawn only by who has the turn. */
const TURN = { text: 'select pg_advisory_xact_lock(7026622)' }

const CHANGED = 'select * from pombo.routes where version > $1 order by version limit $2'

const ADD = `
  insert into pombo.routes (tenant, id, version, removed, directions, created_at, updated_at)
  values ($1, $2, nextval('pombo.route_versions'), false, $3, $4, $5)
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

const toTold = (row: Rows[number]): ToldRoute => ({ route: toOwnRoute(row), removed: row['removed'] === true })
