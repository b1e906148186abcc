/** Limit rules in memory, for tests. */

import { LimitTable } from '../../src/domain/limits/limit-table.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Limit, LimitRules } from '../../src/ports/limit-rules.ts'

export function memoryLimitRules(): LimitRules {
  const known = new LimitTable<Limit>()
  let version = 0
  return {
    scopes: (tenantId) => known.scopes(tenantId),
    counters: (keys) => known.counters(keys),
    find: async (key) => known.find(key),

    async set(wanted) {
      version += 1
      const limit = { ...wanted, version }
      known.set(limit)
      return limit
    },

    remove: async (key) => known.remove(key),

    async list({ tenantId, scope, limit, cursor }) {
      const found = known
        .of(tenantId)
        .filter((one) => scope === undefined || one.scope === scope)
        .filter((one) => cursor === undefined || sortKey(one) > cursor)
        .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
      const [limits, last] = [found.slice(0, limit), found.length > limit ? found[limit - 1] : undefined]
      return omitUndefined({ limits, nextCursor: last && sortKey(last) })
    },
  }
}

const sortKey = ({ scope, key }: Limit): string => `${scope} ${key}`
