/**
 * The limits that operators and tenants have set. Every process holds them in memory, except those of single users.
 * What is asked of memory throws `Unavailable` while they are not loaded: unknown limits are not no limits.
 */

import type { TenantId } from '../domain/ids.ts'
import type { Counter, LimitKey, LimitOwner, LimitScope, Rule } from '../domain/limits/limits.ts'
import type { Instant } from '../lib/time.ts'

/** An operator and the tenant may each have set a limit for the same key. */
export type OwnedKey = LimitKey & Readonly<{ setBy: LimitOwner }>

/** The subject of a limit that every process knows. */
export type KnownKey = LimitKey & Readonly<{ scope: Exclude<LimitKey['scope'], 'user'> }>

/** `shown` is the key for display: recipients are masked. */
export type Limit = OwnedKey &
  Readonly<{ scope: LimitScope; rule: Rule; version: number; shown: string; updatedAt: Instant }>

export type LimitPage = Readonly<{ limits: readonly Limit[]; nextCursor?: string }>

export interface LimitRules {
  /** The scopes in which a tenant has rules, from memory. Most have none. `user` may remain after the last is removed. */
  scopes(tenantId: TenantId): ReadonlySet<LimitScope>

  /**
   * The counters of these keys, from memory: for each owner by their own rule, or by the default of their scope. Where
   * operator and tenant have set a limit, both count.
   */
  counters(keys: readonly KnownKey[]): readonly Counter[]

  /** The same for a user. */
  ofUser(tenantId: TenantId, user: string): Promise<readonly Counter[]>

  find(key: OwnedKey): Promise<Limit | undefined>

  /**
   * Sets or replaces a rule, which resets its count. Resolves once every healthy process uses it. Undefined when it is a
   * new one and its owner has set `most` for the tenant already. Those of single users are not bounded.
   */
  set(limit: Omit<Limit, 'version'>, most?: number): Promise<Limit | undefined>

  /** True if it existed. */
  remove(key: OwnedKey): Promise<boolean>

  /** Ordered by scope, key and owner. */
  list(query: Readonly<{ tenantId: TenantId; scope?: LimitScope; limit: number; cursor?: string }>): Promise<LimitPage>
}
