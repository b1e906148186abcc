/** The routes of tenants, in a table. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { OwnRoute } from '../../domain/routing/routing.ts'
import { toDirections } from '../shared/rows.ts'
import type { CallKind } from './store.ts'

/** The columns of the table. */
export type RouteRow = Readonly<Record<string, SQLOutputValue>>

export type RouteMethods = ReturnType<typeof routeTable>

export function routeTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    allRoutes: (): readonly RouteRow[] => sql.all.all(),

    /** Returns false if a route of that id exists. */
    addRoute: (route: OwnRoute): boolean => {
      const { tenantId, id, own } = route
      const { changes } = sql.add.run(tenantId, id, own.version, toDirections(route), own.createdAt, own.updatedAt)
      return changes === 1
    },

    /** Returns false unless the route of that id has the version `replaced`. */
    changeRoute: (route: OwnRoute, replaced: number): boolean => {
      const { tenantId, id, own } = route
      return sql.change.run(own.version, toDirections(route), own.updatedAt, tenantId, id, replaced).changes === 1
    },

    removeRoute: (tenant: string, id: string): boolean => sql.remove.run(tenant, id).changes === 1,
  }
}

export const ROUTE_CALLS: Readonly<Record<keyof RouteMethods, CallKind>> = {
  allRoutes: 'read',
  addRoute: 'write',
  changeRoute: 'write',
  removeRoute: 'write',
}

function prepare(db: DatabaseSync) {
  return {
    all: db.prepare('select * from routes'),
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
