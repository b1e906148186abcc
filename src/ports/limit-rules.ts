/** The limits that operators have set. Every process holds them all in memory. */

import type { TenantId } from '../domain/ids.ts'
import type { Counter, LimitKey, LimitScope, Rule } from '../domain/limits/limits.ts'
import type { Instant } from '../lib/time.ts'

/** `shown` is the key for display: recipients are masked. */
export type Limit = LimitKey &
  Readonly<{ scope: LimitScope; rule: Rule; version: number; shown: string; updatedAt: Instant }>

export type LimitPage = Readonly<{ limits: readonly Limit[]; nextCursor?: string }>

export interface LimitRules {
  /** The scopes in which a tenant has rules, from memory. Most tenants have none. */
  scopes(tenantId: TenantId): ReadonlySet<LimitScope>

  /** The counters of these keys, from memory: by their own rule, or by the default of their scope. */
  counters(keys: readonly LimitKey[]): readonly Counter[]

  find(key: LimitKey): Promise<Limit | undefined>

  /** Sets or replaces a rule, which resets its count. Resolves once every healthy process uses it. */
  set(limit: Omit<Limit, 'version'>): Promise<Limit>

  /** True if it existed. */
  remove(key: LimitKey): Promise<boolean>

  /** Ordered by scope and key. */
  list(query: Readonly<{ tenantId: TenantId; scope?: LimitScope; limit: number; cursor?: string }>): Promise<LimitPage>
}
