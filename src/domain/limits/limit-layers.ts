/**
 * The limits that operators have set, and those that tenants have set for themselves, in two layers. A message counts
 * in both, so a tenant can lower what an operator set and never raise it.
 */
import type { TenantId } from '../ids.ts'
import { toCounter, type VersionedLimit } from './limit-table.ts'
import { type Counter, LIMIT_OWNERS, type LimitKey, type LimitOwner, type LimitScope } from './limits.ts'

type Layer = Readonly<{
  scopes: (tenantId: TenantId) => ReadonlySet<LimitScope>
  counters: (keys: readonly LimitKey[]) => readonly Counter[]
}>

export class LimitLayers<OneLayer extends Layer> {
  readonly #layers: Readonly<Record<LimitOwner, OneLayer>>

  constructor(open: () => OneLayer) {
    this.#layers = { operator: open(), tenant: open() }
  }

  of(owner: LimitOwner): OneLayer {
    return this.#layers[owner]
  }

  /** Usually one of the layers has nothing for a tenant. */
  scopes(tenantId: TenantId): ReadonlySet<LimitScope> {
    const [byOperator, byTenant] = [this.of('operator').scopes(tenantId), this.of('tenant').scopes(tenantId)]
    if (byOperator.size === 0) return byTenant
    return byTenant.size === 0 ? byOperator : byOperator.union(byTenant)
  }

  counters(keys: readonly LimitKey[]): readonly Counter[] {
    return [...this.of('operator').counters(keys), ...this.of('tenant').counters(keys)]
  }

  /** The counters of a user whose own limits, those of both owners, are `own`. */
  ofUser(tenantId: TenantId, user: string, own: readonly VersionedLimit[]): readonly Counter[] {
    const key: LimitKey = { tenantId, scope: 'user', key: user }
    return LIMIT_OWNERS.flatMap((owner) => {
      const limit = own.find(({ setBy }) => setBy === owner)
      return limit === undefined ? this.of(owner).counters([key]) : [toCounter(key, limit)]
    })
  }
}
