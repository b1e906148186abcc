/**
 * The routes of the operator's file, which are read-only here, and those of tenants. Every process holds them all in
 * memory.
 */
import type { RouteId, TenantId } from '../domain/ids.ts'
import type { Own, OwnRoute, Route } from '../domain/routing/routing.ts'

/** A new route; the store assigns its version. */
export type NewRoute = Omit<OwnRoute, 'own'> & Readonly<{ own: Omit<Own, 'version'> }>

export interface RouteBook {
  /**
   * The routes of a tenant: its own, oldest first, then those of the file. Undefined until this process has loaded
   * them.
   */
  of(tenantId: TenantId): readonly Route[] | undefined

  /** Resolves once every healthy process uses it. Undefined when the tenant already has this id, or `most` routes. */
  add(route: NewRoute, most?: number): Promise<OwnRoute | undefined>

  /** Replaces the version that it carries. Undefined when that version is gone. */
  change(route: OwnRoute): Promise<OwnRoute | undefined>

  /** True if it existed. */
  remove(tenantId: TenantId, id: RouteId): Promise<boolean>
}
