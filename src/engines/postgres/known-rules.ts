/**
 * The limits as far as a process knows them. They may be told in any order and more than once: of each
 * key the newest version counts.
 */
import type { TenantId } from '../../domain/ids.ts'
import { type Counter, EACH, type LimitKey, type LimitScope } from '../../domain/limits/limits.ts'
import type { Limit } from '../../ports/limit-rules.ts'

/** A limit, or that there is none any more. */
export type Told = Limit & Readonly<{ removed: boolean }>

const NONE: ReadonlySet<LimitScope> = new Set()

export class KnownRules {
  readonly #tenants = new Map<TenantId, Map<LimitKey['scope'], Map<string, Told>>>()
  readonly #scopes = new Map<TenantId, ReadonlySet<LimitScope>>()

  /** `isInOrder` says that nothing older is to come, so that what is removed need not be remembered. */
  tell(told: Told, isInOrder: boolean): void {
    const { tenantId, scope, key, version, removed } = told
    const keys = this.#keysOf(tenantId, scope)
    const known = keys.get(key)
    if (known !== undefined && known.version > version) return
    if (removed && isInOrder) keys.delete(key)
    else keys.set(key, told)
    this.#scopes.set(tenantId, this.#findScopes(tenantId))
  }

  scopes(tenantId: TenantId): ReadonlySet<LimitScope> {
    return this.#scopes.get(tenantId) ?? NONE
  }

  counters(keys: readonly LimitKey[]): readonly Counter[] {
    return keys.flatMap(({ tenantId, scope, key }) => {
      const found = this.#find(tenantId, scope, key) ?? this.#find(tenantId, scope, EACH)
      if (found === undefined) return []
      return [{ tenantId, scope, key, rule: found.rule, version: found.version, setAt: found.updatedAt }]
    })
  }

  #find(tenantId: TenantId, scope: LimitKey['scope'], key: string): Told | undefined {
    const found = this.#tenants.get(tenantId)?.get(scope)?.get(key)
    return found?.removed === false ? found : undefined
  }

  #keysOf(tenantId: TenantId, scope: LimitScope): Map<string, Told> {
    const scopes = this.#tenants.get(tenantId) ?? new Map<LimitScope, Map<string, Told>>()
    const keys = scopes.get(scope) ?? new Map<string, Told>()
    this.#tenants.set(tenantId, scopes.set(scope, keys))
    return keys
  }

  #findScopes(tenantId: TenantId): ReadonlySet<LimitScope> {
    const scopes = [...(this.#tenants.get(tenantId)?.entries() ?? [])]
    const withRules = scopes.filter(([, keys]) => keys.values().some(({ removed }) => !removed))
    return new Set(withRules.map(([scope]) => scope as LimitScope))
  }
}
