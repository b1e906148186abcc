/** Routes in memory, for tests. */
import { RouteTable } from '../../src/domain/routing/route-table.ts'
import type { OwnRoute, Route } from '../../src/domain/routing/routing.ts'
import type { NewRoute, RouteBook } from '../../src/ports/routes.ts'

export function memoryRoutes(file: readonly Route[] = []): RouteBook {
  const known = new RouteTable(file)
  let version = 0

  function keep(wanted: NewRoute): OwnRoute {
    version += 1
    const route = { ...wanted, own: { ...wanted.own, version } }
    known.apply({ route, removed: false })
    return route
  }

  return {
    of: (tenantId) => known.of(tenantId),
    async add(route, most = Number.POSITIVE_INFINITY) {
      const count = known.of(route.tenantId).filter(({ own }) => own !== undefined).length
      return known.find(route.tenantId, route.id) === undefined && count < most ? keep(route) : undefined
    },

    change: async (route) =>
      known.find(route.tenantId, route.id)?.own.version === route.own.version ? keep(route) : undefined,

    async remove(tenantId, id) {
      const route = known.find(tenantId, id)
      if (route !== undefined) known.apply({ route, removed: true })
      return route !== undefined
    },
  }
}
