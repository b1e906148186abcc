/** The limits that operators have set. Every process knows them all, so that asking costs nothing. */

import type { TenantId } from '../domain/ids.ts'
import type { Counter, LimitKey, LimitScope, Rule } from '../domain/limits/limits.ts'
import type { Instant } from '../lib/time.ts'

/** `shown` is the key as people may see it: a recipient is masked. */
export type Limit = LimitKey &
  Readonly<{ scope: LimitScope; rule: Rule; version: number; shown: string; updatedAt: Instant }>

export type LimitPage = Readonly<{ limits: readonly Limit[]; nextCursor?: string }>

export interface LimitRules {
  /** In which scopes a tenant has rules, as far as is known here: most have none, and then nothing need be looked up. */
  scopes(tenantId: TenantId): ReadonlySet<LimitScope>

  /** The counters that these keys have: by a rule of their own, or by the one for each of their scope. As far as is known here. */
  counters(keys: readonly LimitKey[]): readonly Counter[]

  find(key: LimitKey): Promise<Limit | undefined>

  /** Sets a rule, also where there is one: it begins to count anew. Answers once every healthy process goes by it. */
  set(limit: Omit<Limit, 'version'>): Promise<Limit>

  /** Whether there was one. */
  remove(key: LimitKey): Promise<boolean>

  /** By scope and key. */
  list(query: Readonly<{ tenantId: TenantId; scope?: LimitScope; limit: number; cursor?: string }>): Promise<LimitPage>
}
