/** The limits of one owner in memory, by tenant and scope: they are looked up for every message. */

import type { Instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import { type Counter, EACH, type LimitKey, type LimitOwner, type LimitScope } from './limits.ts'

/** A rule with its version. */
export type VersionedLimit = Counter & Readonly<{ scope: LimitScope; updatedAt: Instant; setBy: LimitOwner }>

const NONE: ReadonlySet<LimitScope> = new Set()
const USERS: ReadonlySet<LimitScope> = new Set<LimitScope>(['user'])

/** The counter of a key under a limit, which may be the default of its scope. */
export const toCounter = ({ tenantId, scope, key }: LimitKey, limit: VersionedLimit): Counter => {
  const { rule, version, updatedAt: setAt, setBy } = limit
  return { tenantId, scope, key, rule, version, setAt, setBy }
}

export class LimitTable<Limit extends VersionedLimit> {
  /** Empty maps are removed, so every scope in here has limits. */
  readonly #tenants = new Map<TenantId, Map<LimitScope, Map<string, Limit>>>()
  readonly #limitingUsers = new Set<TenantId>()

  /** The scopes in which a tenant has limits. */
  scopes(tenantId: TenantId): ReadonlySet<LimitScope> {
    const scopes = this.#tenants.get(tenantId)
    const ofUsers = this.#limitingUsers.has(tenantId) ? USERS : NONE
    return scopes === undefined ? ofUsers : new Set(scopes.keys()).union(ofUsers)
  }

  /** Notes that the tenant has limits of single users, which are not in here. */
  noteUsers(tenantId: TenantId): void {
    this.#limitingUsers.add(tenantId)
  }

  counters(keys: readonly LimitKey[]): readonly Counter[] {
    return keys.flatMap((key) => {
      const limit = this.find(key) ?? this.find({ ...key, key: EACH })
      return limit === undefined ? [] : [toCounter(key, limit)]
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
