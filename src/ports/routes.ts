/**
 * The routes that messages may take: those of the operator's file, which nobody changes here, and those that
 * tenants made for themselves. Every process knows them all, so that asking costs nothing.
 */
import type { RouteId, TenantId } from '../domain/ids.ts'
import type { Own, OwnRoute, Route } from '../domain/routing/routing.ts'

/** A route that is to be made: its first version is given to it. */
export type NewRoute = Omit<OwnRoute, 'own'> & Readonly<{ own: Omit<Own, 'version'> }>

export interface RouteBook {
  /**
   * What a tenant's messages may take, as far as is known here: its own routes, oldest first, and then those
   * of the file. Undefined as long as this process could not find out what there is.
   */
  of(tenantId: TenantId): readonly Route[] | undefined

  /** Answers once every healthy process goes by it. Undefined when the tenant has one of that id. */
  add(route: NewRoute): Promise<OwnRoute | undefined>

  /** Puts it in the place of the version that it carries. Undefined when that is gone, or was changed meanwhile. */
  change(route: OwnRoute): Promise<OwnRoute | undefined>

  /** Whether the tenant had one of that id. */
  remove(tenantId: TenantId, id: RouteId): Promise<boolean>
}
