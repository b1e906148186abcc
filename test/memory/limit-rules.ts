/** Limit rules in memory, for tests. */

import { LimitLayers } from '../../src/domain/limits/limit-layers.ts'
import { LimitTable } from '../../src/domain/limits/limit-table.ts'
import { isOfOneUser, LIMIT_OWNERS } from '../../src/domain/limits/limits.ts'
import { wellFormed } from '../../src/engines/shared/cursors.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Limit, LimitRules } from '../../src/ports/limit-rules.ts'

export function memoryLimitRules(): LimitRules {
  const known = new LimitLayers(() => new LimitTable<Limit>())
  let version = 0
  return {
    scopes: (tenantId) => known.scopes(tenantId),
    counters: (keys) => known.counters(keys),
    ofUser: async (tenantId, user) => known.counters([{ tenantId, scope: 'user', key: user }]),
    find: async (key) => known.of(key.setBy).find(key),

    async set(wanted, most = Number.POSITIVE_INFINITY) {
      const ofOwner = known.of(wanted.setBy)
      const bounded = ofOwner.of(wanted.tenantId).filter((limit) => !isOfOneUser(limit))
      const isFull = !isOfOneUser(wanted) && bounded.length >= most
      if (isFull && ofOwner.find(wanted) === undefined) return undefined
      version += 1
      const limit = { ...wanted, version }
      known.of(limit.setBy).set(limit)
      return limit
    },

    remove: async (key) => known.of(key.setBy).remove(key),

    async list({ tenantId, scope, limit, cursor }) {
      const after = cursor === undefined ? undefined : wellFormed(parseCursor(cursor))
      const found = LIMIT_OWNERS.flatMap((owner) => known.of(owner).of(tenantId))
        .filter((one) => scope === undefined || one.scope === scope)
        .filter((one) => after === undefined || sortKey(one) > after)
        .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
      const [limits, last] = [found.slice(0, limit), found.length > limit ? found[limit - 1] : undefined]
      return omitUndefined({ limits, nextCursor: last && encodeURIComponent(sortKey(last)) })
    },
  }
}

function parseCursor(cursor: string): string | undefined {
  try {
    const key = decodeURIComponent(cursor)
    return /^\S+ .+\0\w+$/s.test(key) ? key : undefined
  } catch {
    return undefined
  }
}

/** No key contains NUL, which sorts before everything else. */
const sortKey = ({ scope, key, setBy }: Limit): string => `${scope} ${key}\0${setBy}`
