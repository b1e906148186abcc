/** The limits of one owner in memory, by tenant and scope: they are looked up for every message. */

import type { Instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import { type Counter, EACH, type LimitKey, type LimitOwner, type LimitScope } from './limits.ts'

/** A rule with its version. */
type VersionedLimit = Counter & Readonly<{ scope: LimitScope; updatedAt: Instant; setBy: LimitOwner }>

const NONE: ReadonlySet<LimitScope> = new Set()

export class LimitTable<Limit extends VersionedLimit> {
  /** Empty maps are removed, so every scope in here has limits. */
  readonly #tenants = new Map<TenantId, Map<LimitScope, Map<string, Limit>>>()

  /** The scopes in which a tenant has limits. */
  scopes(tenantId: TenantId): ReadonlySet<LimitScope> {
    const scopes = this.#tenants.get(tenantId)
    return scopes === undefined ? NONE : new Set(scopes.keys())
  }

  counters(keys: readonly LimitKey[]): readonly Counter[] {
    return keys.flatMap(({ tenantId, scope, key }) => {
      const limit = this.find({ tenantId, scope, key }) ?? this.find({ tenantId, scope, key: EACH })
      if (limit === undefined) return []
      const { rule, version, updatedAt: setAt, setBy } = limit
      return [{ tenantId, scope, key, rule, version, setAt, setBy }]
    })
  }

  find({ tenantId, scope, key }: LimitKey): Limit | undefined {
    return scope === 'otp' ? undefined : this.#tenants.get(tenantId)?.get(scope)?.get(key)
  }

  /** All limits of a tenant, unordered. */
  of(tenantId: TenantId): readonly Limit[] {
    return [...(this.#tenants.get(tenantId)?.values() ?? [])].flatMap((limits) => [...limits.values()])
  }

  set(limit: Limit): void {
    const scopes = this.#tenants.get(limit.tenantId) ?? new Map<LimitScope, Map<string, Limit>>()
    const limits = scopes.get(limit.scope) ?? new Map<string, Limit>()
    this.#tenants.set(limit.tenantId, scopes.set(limit.scope, limits.set(limit.key, limit)))
  }

  /** True if it existed. */
  remove(key: LimitKey): boolean {
    const limit = this.find(key)
    if (limit === undefined) return false
    const scopes = this.#tenants.get(limit.tenantId)
    const limits = scopes?.get(limit.scope)
    limits?.delete(limit.key)
    if (limits?.size === 0) scopes?.delete(limit.scope)
    if (scopes?.size === 0) this.#tenants.delete(limit.tenantId)
    return true
  }
}
