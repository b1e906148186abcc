/** Limits that are forgotten with their process. */
import { KnownLimits } from '../../domain/limits/known-limits.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'

export function memoryLimitRules(): LimitRules {
  const known = new KnownLimits<Limit>()
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
        .filter((one) => cursor === undefined || placeOf(one) > cursor)
        .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
      const [limits, last] = [found.slice(0, limit), found.length > limit ? found[limit - 1] : undefined]
      return { limits, ...(last === undefined ? {} : { nextCursor: placeOf(last) }) }
    },
  }
}

const placeOf = ({ scope, key }: Limit): string => `${scope} ${key}`
