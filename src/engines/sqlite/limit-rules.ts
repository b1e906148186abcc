/** The limit rules in a table, and all of them in memory: each is stored before it takes effect. */
import type { DatabaseSync } from 'node:sqlite'
import type { TenantId } from '../../domain/ids.ts'
import { LimitTable } from '../../domain/limits/limit-table.ts'
import type { LimitScope, Rule } from '../../domain/limits/limits.ts'
import { instant, millis } from '../../lib/time.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'
import type { Row } from '../shared/rows.ts'
import { type Driver, remote } from './driver.ts'
import { toPage } from './page.ts'
import type { StoreMethods } from './store.ts'
import type { Table } from './tables.ts'

export async function openLimitRules(driver: Driver<StoreMethods>): Promise<LimitRules> {
  const { all, newestVersion, store, remove, list } = remote(driver, 'limitRules')
  const known = new LimitTable<Limit>()
  for (const limit of await all()) known.set(limit)
  let lastVersion = await newestVersion()

  return {
    scopes: (tenantId) => known.scopes(tenantId),
    counters: (keys) => known.counters(keys),
    find: async (key) => known.find(key),
    list,

    async set(wanted) {
      lastVersion += 1
      const limit = { ...wanted, version: lastVersion }
      await store(limit)
      known.set(limit)
      return limit
    },

    async remove(key) {
      const isRemoved = await remove(key)
      known.remove(key)
      return isRemoved
    },
  }
}

type Storage = Readonly<{
  all: () => readonly Limit[]
  /** The highest version of all limits and counts. */
  newestVersion: () => number
  store: (limit: Limit) => void
}>

export function limitRuleTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    writes: {
      store({ tenantId, scope, key, shown, rule, version, updatedAt }) {
        const { limit, window, algorithm } = rule
        sql.set.run(tenantId, scope, key, shown, limit, window, algorithm, version, updatedAt)
      },
      remove: ({ tenantId, scope, key }) => sql.remove.run(tenantId, scope, key).changes === 1,
    },
    reads: {
      all: () => sql.all.all().map(toLimit),
      newestVersion: () => Number(sql.lastVersion.get()?.['version'] ?? 0),
      list({ tenantId: tenant, scope = null, limit, cursor = '' }) {
        const [afterScope, afterKey] = parseCursor(cursor)
        const rows = sql.list.all({ tenant, scope, afterScope, afterKey, limit: limit + 1 })
        const { page: limits, ...next } = toPage(rows.map(toLimit), limit, toCursor)
        return { limits, ...next }
      },
    },
  } satisfies Table<LimitRules & Storage>
}

const toCursor = ({ scope, key }: Limit): string => `${scope} ${key}`

/** A scope contains no space, a key may. */
function parseCursor(cursor: string): [scope: string, key: string] {
  const space = cursor.indexOf(' ')
  return [cursor.slice(0, Math.max(space, 0)), cursor.slice(space + 1)]
}

const toLimit = (row: Row): Limit => ({
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

function prepare(db: DatabaseSync) {
  return {
    set: db.prepare(`
      insert into limit_rules (tenant, scope, key, shown, max_count, window_ms, algorithm, version, updated_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (tenant, scope, key) do update set
        shown = excluded.shown, max_count = excluded.max_count, window_ms = excluded.window_ms,
        algorithm = excluded.algorithm, version = excluded.version, updated_at = excluded.updated_at
    `),
    remove: db.prepare('delete from limit_rules where tenant = ? and scope = ? and key = ?'),
    all: db.prepare('select * from limit_rules'),
    list: db.prepare(`
      select * from limit_rules
      where tenant = :tenant and (scope, key) > (:afterScope, :afterKey) and (:scope is null or scope = :scope)
      order by scope, key limit :limit
    `),
    lastVersion: db.prepare(`
      select max(version) as version from
        (select version from limit_rules union all select version from limit_counts)
    `),
  }
}
