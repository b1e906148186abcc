/**
 * All routes in memory: those of the operator's file and those of tenants. Changes of tenants' routes may arrive in any
 * order and more than once; the newest version counts.
 */
import type { RouteId, TenantId } from '../ids.ts'
import type { OwnRoute, Route } from './routing.ts'

/** A changed or removed route. */
export type RouteChange = Readonly<{ route: OwnRoute; removed: boolean }>

export class RouteTable {
  readonly #file: readonly Route[]
  readonly #tenants = new Map<TenantId, Map<RouteId, RouteChange>>()
  readonly #listed = new Map<TenantId, readonly Route[]>()
  readonly #isFileShared: boolean

  constructor(file: readonly Route[]) {
    this.#file = file
    this.#isFileShared = file.every(({ tenantId }) => tenantId === undefined)
  }

  /** `isInOrder`: no older change can follow, so removed routes need not be remembered. */
  apply(change: RouteChange, isInOrder = true): void {
    const { id, tenantId, own } = change.route
    const routes = this.#tenants.get(tenantId) ?? new Map<RouteId, RouteChange>()
    const current = routes.get(id)
    if (current !== undefined && current.route.own.version > own.version) return
    if (change.removed && isInOrder) routes.delete(id)
    else routes.set(id, change)
    this.#tenants.set(tenantId, routes)
    this.#list(tenantId, routes)
  }

  /** The tenant's own routes, oldest first, then those of the file that apply to it. */
  of(tenantId: TenantId): readonly Route[] {
    return this.#listed.get(tenantId) ?? this.#fileFor(tenantId)
  }

  find(tenantId: TenantId, id: RouteId): OwnRoute | undefined {
    const change = this.#tenants.get(tenantId)?.get(id)
    return change?.removed === false ? change.route : undefined
  }

  #list(tenantId: TenantId, routes: ReadonlyMap<RouteId, RouteChange>): void {
    const own = [...routes.values()].filter(({ removed }) => !removed).map(({ route }) => route)
    if (own.length === 0) this.#listed.delete(tenantId)
    else this.#listed.set(tenantId, [...own.toSorted(byAge), ...this.#fileFor(tenantId)])
  }

  /** Every message asks, so the usual file, without routes of single tenants, is not copied. */
  #fileFor(tenantId: TenantId): readonly Route[] {
    if (this.#isFileShared) return this.#file
    return this.#file.filter((route) => (route.tenantId ?? tenantId) === tenantId)
  }
}

/** The same order in every process. */
const byAge = (one: OwnRoute, other: OwnRoute): number =>
  one.own.createdAt - other.own.createdAt || (one.id < other.id ? -1 : 1)
