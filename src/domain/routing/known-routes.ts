/**
 * The routes as far as a process knows them: those of the operator's file, and those that tenants made. The
 * latter may be told in any order and more than once: of each the newest version counts.
 */
import type { RouteId, TenantId } from '../ids.ts'
import type { OwnRoute, Route } from './routing.ts'

/** A route, or that there is none any more. */
export type ToldRoute = Readonly<{ route: OwnRoute; removed: boolean }>

export class KnownRoutes {
  readonly #file: readonly Route[]
  readonly #tenants = new Map<TenantId, Map<RouteId, ToldRoute>>()
  readonly #listed = new Map<TenantId, readonly Route[]>()

  constructor(file: readonly Route[]) {
    this.#file = file
  }

  /** `isInOrder` says that nothing older is to come, so that what is removed need not be remembered. */
  tell(told: ToldRoute, isInOrder = true): void {
    const { id, tenantId, own } = told.route
    const routes = this.#tenants.get(tenantId) ?? new Map<RouteId, ToldRoute>()
    const known = routes.get(id)
    if (known !== undefined && known.route.own.version > own.version) return
    if (told.removed && isInOrder) routes.delete(id)
    else routes.set(id, told)
    this.#tenants.set(tenantId, routes)
    this.#list(tenantId, routes)
  }

  /** A tenant's own, oldest first, and then those of the file that are for it. */
  of(tenantId: TenantId): readonly Route[] {
    return this.#listed.get(tenantId) ?? this.#fileFor(tenantId)
  }

  find(tenantId: TenantId, id: RouteId): OwnRoute | undefined {
    const told = this.#tenants.get(tenantId)?.get(id)
    return told?.removed === false ? told.route : undefined
  }

  #list(tenantId: TenantId, routes: ReadonlyMap<RouteId, ToldRoute>): void {
    const own = [...routes.values()].filter(({ removed }) => !removed).map(({ route }) => route)
    if (own.length === 0) this.#listed.delete(tenantId)
    else this.#listed.set(tenantId, [...own.toSorted(byAge), ...this.#fileFor(tenantId)])
  }

  #fileFor(tenantId: TenantId): readonly Route[] {
    return this.#file.filter((route) => (route.tenantId ?? tenantId) === tenantId)
  }
}

/** All processes list them in the same order. */
const byAge = (one: OwnRoute, other: OwnRoute): number =>
  one.own.createdAt - other.own.createdAt || (one.id < other.id ? -1 : 1)
