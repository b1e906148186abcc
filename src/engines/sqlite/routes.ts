/** The routes of the embedded profile: all in memory, each stored before it takes effect. */
import { RouteTable } from '../../domain/routing/route-table.ts'
import type { OwnRoute, Route } from '../../domain/routing/routing.ts'
import type { NewRoute, RouteBook } from '../../ports/routes.ts'
import { toOwnRoute } from '../shared/rows.ts'
import type { Driver } from './driver.ts'
import type { StoreMethods } from './store.ts'

export async function openRoutes(driver: Driver<StoreMethods>, file: readonly Route[]): Promise<RouteBook> {
  const known = new RouteTable(file)
  const stored = (await driver.call('allRoutes')).map(toOwnRoute)
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

    add: (wanted) => {
      const route = withVersion(wanted)
      return keep(route, driver.call('addRoute', route))
    },

    change: (wanted) => {
      const route = withVersion(wanted)
      return keep(route, driver.call('changeRoute', route, wanted.own.version))
    },

    async remove(tenantId, id) {
      const isRemoved = await driver.call('removeRoute', tenantId, id)
      const route = known.find(tenantId, id)
      if (isRemoved && route !== undefined) known.apply({ route, removed: true })
      return isRemoved
    },
  }
}
