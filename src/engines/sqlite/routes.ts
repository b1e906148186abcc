/** The routes of tenants in a table, and all routes in memory: each is stored before it takes effect. */
import type { DatabaseSync } from 'node:sqlite'
import type { RouteId, TenantId } from '../../domain/ids.ts'
import { RouteTable } from '../../domain/routing/route-table.ts'
import type { OwnRoute, Route } from '../../domain/routing/routing.ts'
import type { NewRoute, RouteBook } from '../../ports/routes.ts'
import { toDirections, toOwnRoute } from '../shared/rows.ts'
import { type Driver, remote } from './driver.ts'
import type { StoreMethods } from './store.ts'

export async function openRoutes(driver: Driver<StoreMethods>, file: readonly Route[]): Promise<RouteBook> {
  const known = new RouteTable(file)
  const table = remote(driver, 'routes')
  const stored = await table.all()
  for (const route of stored) known.apply({ route, removed: false })
  let lastVersion = stored.reduce((last, { own }) => Math.max(last, own.version), 0)

  function withVersion(route: NewRoute): OwnRoute {
    lastVersion += 1
    return { ...route, own: { ...route.own, version: lastVersion } }
  }

  /** Only a stored route takes effect. */
  async function keep(route: OwnRoute, taking: Promise<boolean>): Promise<OwnRoute | undefined> {
    if (!(await taking)) return undefined
    known.apply({ route, removed: false })
    return route
  }

  return {
    of: (tenantId) => known.of(tenantId),

    add: (wanted, most = Number.MAX_SAFE_INTEGER) => {
      const route = withVersion(wanted)
      return keep(route, table.add(route, most))
    },

    change: (wanted) => {
      const route = withVersion(wanted)
      return keep(route, table.change(route, wanted.own.version))
    },

    async remove(tenantId, id) {
      const isRemoved = await table.remove(tenantId, id)
      const route = known.find(tenantId, id)
      if (isRemoved && route !== undefined) known.apply({ route, removed: true })
      return isRemoved
    },
  }
}

export function routeTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    reads: {
      all: () => sql.all.all().map(toOwnRoute),
    },
    writes: {
      /** Returns false if a route of that id exists, or if the tenant has `most`. */
      add(route: OwnRoute, most: number): boolean {
        const { tenantId, id, own } = route
        if (Number(sql.count.get(tenantId)?.['count']) >= most) return false
        const { changes } = sql.add.run(tenantId, id, own.version, toDirections(route), own.createdAt, own.updatedAt)
        return changes === 1
      },
      /** Returns false unless the route of that id has the version `replaced`. */
      change(route: OwnRoute, replaced: number): boolean {
        const { tenantId, id, own } = route
        return sql.change.run(own.version, toDirections(route), own.updatedAt, tenantId, id, replaced).changes === 1
      },
      remove: (tenantId: TenantId, id: RouteId): boolean => sql.remove.run(tenantId, id).changes === 1,
    },
  }
}

function prepare(db: DatabaseSync) {
  return {
    all: db.prepare('select * from routes'),
    count: db.prepare('select count(*) as count from routes where tenant = ?'),
    add: db.prepare(`
      insert into routes (tenant, id, version, directions, created_at, updated_at) values (?, ?, ?, ?, ?, ?)
      on conflict do nothing
    `),
    change: db.prepare(`
      update routes set version = ?, directions = ?, updated_at = ? where tenant = ? and id = ? and version = ?
    `),
    remove: db.prepare('delete from routes where tenant = ? and id = ?'),
  }
}
