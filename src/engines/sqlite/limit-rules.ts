/** The limit rules of the embedded profile: all in memory, each stored before it takes effect. */

import type { TenantId } from '../../domain/ids.ts'
import { LimitTable } from '../../domain/limits/limit-table.ts'
import type { LimitScope, Rule } from '../../domain/limits/limits.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, millis } from '../../lib/time.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'
import type { Driver } from './driver.ts'
import type { LimitRow, NewLimit } from './limit-tables.ts'
import type { StoreMethods } from './store.ts'

export async function openLimitRules(driver: Driver<StoreMethods>): Promise<LimitRules> {
  const known = new LimitTable<Limit>()
  for (const row of await driver.call('allLimits')) known.set(toLimit(row))
  let lastVersion = await driver.call('lastLimitVersion')

  return {
    scopes: (tenantId) => known.scopes(tenantId),
    counters: (keys) => known.counters(keys),
    find: async (key) => known.find(key),

    async set(wanted) {
      lastVersion += 1
      const limit = { ...wanted, version: lastVersion }
      await driver.call('setLimit', toNewLimit(limit))
      known.set(limit)
      return limit
    },

    async remove(key) {
      const isRemoved = await driver.call('removeLimit', key.tenantId, key.scope, key.key)
      known.remove(key)
      return isRemoved
    },

    async list({ tenantId, scope, limit, cursor = '' }) {
      const rows = await driver.call('listLimits', tenantId, scope ?? null, ...parseCursor(cursor), limit + 1)
      const limits = rows.slice(0, limit).map(toLimit)
      const last = rows.length > limit ? limits.at(-1) : undefined
      return omitUndefined({ limits, nextCursor: last && `${last.scope} ${last.key}` })
    },
  }
}

/** A scope contains no space, a key may. */
function parseCursor(cursor: string): [scope: string, key: string] {
  const space = cursor.indexOf(' ')
  return [cursor.slice(0, Math.max(space, 0)), cursor.slice(space + 1)]
}

const toNewLimit = ({ tenantId, scope, key, shown, rule, version, updatedAt }: Limit): NewLimit => [
  tenantId,
  scope,
  key,
  shown,
  rule.limit,
  rule.window,
  rule.algorithm,
  version,
  updatedAt,
]

const toLimit = (row: LimitRow): Limit => ({
  tenantId: row['tenant'] as TenantId,
  scope: row['scope'] as LimitScope,
  key: String(row['key']),
  shown: String(row['shown']),
  rule: {
    limit: Number(row['max_count']),
    window: millis(Number(row['window_ms'])),
    algorithm: row['algorithm'] as Rule['algorithm'],
  },
  version: Number(row['version']),
  updatedAt: instant(Number(row['updated_at'])),
})
