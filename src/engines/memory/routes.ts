/** Routes in memory, for tests. */
import { KnownRoutes } from '../../domain/routing/known-routes.ts'
import type { OwnRoute, Route } from '../../domain/routing/routing.ts'
import type { NewRoute, RouteBook } from '../../ports/routes.ts'

export function memoryRoutes(file: readonly Route[] = []): RouteBook {
  const known = new KnownRoutes(file)
  let version = 0

  function keep(wanted: NewRoute): OwnRoute {
    version += 1
    const route = { ...wanted, own: { ...wanted.own, version } }
    known.tell({ route, removed: false })
    return route
  }

  return {
    of: (tenantId) => known.of(tenantId),
    add: async (route) => (known.find(route.tenantId, route.id) === undefined ? keep(route) : undefined),
    change: async (route) =>
      known.find(route.tenantId, route.id)?.own.version === route.own.version ? keep(route) : undefined,

    async remove(tenantId, id) {
      const route = known.find(tenantId, id)
      if (route !== undefined) known.tell({ route, removed: true })
      return route !== undefined
    },
  }
}
