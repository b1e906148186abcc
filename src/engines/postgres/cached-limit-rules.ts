/**
 * The limit rules of one owner cached by a process, except those of single users. Changes may arrive in any order and
 * more than once: the newest version of each key wins.
 */
import type { TenantId } from '../../domain/ids.ts'
import { toCounter } from '../../domain/limits/limit-table.ts'
import { type Counter, EACH, isOfOneUser, type LimitKey, type LimitScope } from '../../domain/limits/limits.ts'
import type { Limit } from '../../ports/limit-rules.ts'

/** A limit that was set or removed. */
export type LimitChange = Limit & Readonly<{ removed: boolean }>

const NONE: ReadonlySet<LimitScope> = new Set()

export class CachedLimitRules {
  readonly #tenants = new Map<TenantId, Map<LimitKey['scope'], Map<string, LimitChange>>>()
  readonly #scopes = new Map<TenantId, ReadonlySet<LimitScope>>()
  /** The tenants that have had limits of single users. */
  readonly #limitingUsers = new Set<TenantId>()

  /** `isInOrder` means that nothing older follows, so that removals need not be remembered. */
  apply(change: LimitChange, isInOrder: boolean): void {
    const { tenantId } = change
    if (!isOfOneUser(change)) this.#store(change, isInOrder)
    else this.#limitingUsers.add(tenantId)
    this.#scopes.set(tenantId, this.#findScopes(tenantId))
  }

  scopes(tenantId: TenantId): ReadonlySet<LimitScope> {
    return this.#scopes.get(tenantId) ?? NONE
  }

  counters(keys: readonly LimitKey[]): readonly Counter[] {
    return keys.flatMap((named) => {
      const { tenantId, scope, key } = named
      const found = this.#find(tenantId, scope, key) ?? this.#find(tenantId, scope, EACH)
      return found === undefined ? [] : [toCounter(named, found)]
    })
  }

  #store(change: LimitChange, isInOrder: boolean): void {
    const { tenantId, scope, key, version, removed } = change
    const keys = this.#keysOf(tenantId, scope)
    const cached = keys.get(key)
    if (cached !== undefined && cached.version > version) return
    if (removed && isInOrder) keys.delete(key)
    else keys.set(key, change)
  }

  #find(tenantId: TenantId, scope: LimitKey['scope'], key: string): LimitChange | undefined {
    const found = this.#tenants.get(tenantId)?.get(scope)?.get(key)
    return found?.removed === false ? found : undefined
  }

  #keysOf(tenantId: TenantId, scope: LimitScope): Map<string, LimitChange> {
    const scopes = this.#tenants.get(tenantId) ?? new Map<LimitScope, Map<string, LimitChange>>()
    const keys = scopes.get(scope) ?? new Map<string, LimitChange>()
    this.#tenants.set(tenantId, scopes.set(scope, keys))
    return keys
  }

  #findScopes(tenantId: TenantId): ReadonlySet<LimitScope> {
    const scopes = [...(this.#tenants.get(tenantId)?.entries() ?? [])]
    const withRules = scopes.filter(([, keys]) => keys.values().some(({ removed }) => !removed))
    const found = withRules.map(([scope]) => scope as LimitScope)
    return new Set(this.#limitingUsers.has(tenantId) ? [...found, 'user'] : found)
  }
}
