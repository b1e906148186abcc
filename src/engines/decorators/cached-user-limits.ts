/** Limits of single users with copies in the shared cache: a call finds them there, and asks the database only for a new one. */
import type { TenantId } from '../../domain/ids.ts'
import { type Counter, isOfOneUser } from '../../domain/limits/limits.ts'
import type { Limit, LimitRules, OwnedKey } from '../../ports/limit-rules.ts'
import type { SharedCache } from '../../ports/shared-cache.ts'

export type StoredLimitRules = LimitRules &
  Readonly<{
    /** The limits of a user, without defaults. */
    findOwn: (tenantId: TenantId, user: string) => Promise<readonly Limit[]>
    /** The counters of a user with these limits. */
    toCounters: (tenantId: TenantId, user: string, own: readonly Limit[]) => readonly Counter[]
  }>

export function cachedUserLimits(rules: StoredLimitRules, cache: SharedCache): LimitRules {
  async function changed<Result>(key: OwnedKey, change: Promise<Result>): Promise<Result> {
    const result = await change
    if (isOfOneUser(key)) await cache.drop([nameOf(key.tenantId, key.key)])
    return result
  }

  return {
    scopes: (tenantId) => rules.scopes(tenantId),
    counters: (keys) => rules.counters(keys),
    async ofUser(tenantId, user) {
      const load = async () => JSON.stringify(await rules.findOwn(tenantId, user))
      const own = JSON.parse(await cache.read(nameOf(tenantId, user), load)) as readonly Limit[]
      return rules.toCounters(tenantId, user, own)
    },
    find: (key) => rules.find(key),
    set: (limit, most) => changed(limit, rules.set(limit, most)),
    remove: (key) => changed(key, rules.remove(key)),
    list: (query) => rules.list(query),
  }
}

const nameOf = (tenantId: TenantId, user: string): string => `limits:${tenantId}:${user}`
