/** The limit rules in two tables, one of each owner, and all of them in memory: each is stored before it takes effect. */
import type { DatabaseSync } from 'node:sqlite'
import type { TenantId } from '../../domain/ids.ts'
import { LimitLayers } from '../../domain/limits/limit-layers.ts'
import { LimitTable } from '../../domain/limits/limit-table.ts'
import type { LimitOwner, LimitScope, Rule } from '../../domain/limits/limits.ts'
import { instant, millis } from '../../lib/time.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'
import type { Row } from '../shared/rows.ts'
import { type Driver, remote } from './driver.ts'
import { toPage } from './page.ts'
import type { StoreMethods } from './store.ts'
import type { Table } from './tables.ts'

export async function openLimitRules(driver: Driver<StoreMethods>): Promise<LimitRules> {
  const { all, newestVersion, store, remove, list } = remote(driver, 'limitRules')
  const known = new LimitLayers(() => new LimitTable<Limit>())
  for (const limit of await all()) known.of(limit.setBy).set(limit)
  let lastVersion = await newestVersion()

  return {
    scopes: (tenantId) => known.scopes(tenantId),
    counters: (keys) => known.counters(keys),
    find: async (key) => known.of(key.setBy).find(key),
    list,

    async set(wanted, most = Number.MAX_SAFE_INTEGER) {
      lastVersion += 1
      const limit = { ...wanted, version: lastVersion }
      if (!(await store(limit, most))) return undefined
      known.of(limit.setBy).set(limit)
      return limit
    },

    async remove(key) {
      const isRemoved = await remove(key)
      known.of(key.setBy).remove(key)
      return isRemoved
    },
  }
}

type Storage = Readonly<{
  all: () => readonly Limit[]
  /** The highest version of all limits and counts. */
  newestVersion: () => number
  /** Returns false if it is a new one and its owner has set `most` for the tenant. */
  store: (limit: Limit, most: number) => boolean
}>

export function limitRuleTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    writes: {
      store({ setBy, tenantId, scope, key, shown, rule, version, updatedAt }, most) {
        const { limit, window, algorithm } = rule
        const isNew = sql[setBy].find.get(tenantId, scope, key) === undefined
        if (isNew && Number(sql[setBy].count.get(tenantId)?.['count']) >= most) return false
        sql[setBy].set.run(tenantId, scope, key, shown, limit, window, algorithm, version, updatedAt)
        return true
      },
      remove: ({ setBy, tenantId, scope, key }) => sql[setBy].remove.run(tenantId, scope, key).changes === 1,
    },
    reads: {
      all: () => sql.all.all().map(toLimit),
      newestVersion: () => Number(sql.lastVersion.get()?.['version'] ?? 0),
      list({ tenantId: tenant, scope = null, limit, cursor = '' }) {
        const [afterScope, afterOwner, afterKey] = parseCursor(cursor)
        const rows = sql.list.all({ tenant, scope, afterScope, afterKey, afterOwner, limit: limit + 1 })
        const { page: limits, ...next } = toPage(rows.map(toLimit), limit, toCursor)
        return { limits, ...next }
      },
    },
  } satisfies Table<LimitRules & Storage>
}

const toCursor = ({ scope, setBy, key }: Limit): string => `${scope} ${setBy} ${key}`

/** A scope and an owner contain no space, a key may. */
function parseCursor(cursor: string): [scope: string, owner: string, key: string] {
  const [scope = '', owner = '', ...key] = cursor.split(' ')
  return [scope, owner, key.join(' ')]
}

const toLimit = (row: Row): Limit => ({
  tenantId: row['tenant'] as TenantId,
  scope: row['scope'] as LimitScope,
  key: String(row['key']),
  setBy: row['set_by'] as LimitOwner,
  shown: String(row['shown']),
  rule: {
    limit: Number(row['max_count']),
    window: millis(Number(row['window_ms'])),
    algorithm: row['algorithm'] as Rule['algorithm'],
  },
  version: Number(row['version']),
  updatedAt: instant(Number(row['updated_at'])),
})

const ALL = `
  select *, 'tenant' as set_by from limit_rules union all select *, 'operator' as set_by from operator_limit_rules
`

function prepare(db: DatabaseSync) {
  return {
    tenant: prepareWrites(db, 'limit_rules'),
    operator: prepareWrites(db, 'operator_limit_rules'),
    all: db.prepare(ALL),
    list: db.prepare(`
      select * from (${ALL})
      where tenant = :tenant and (scope, key, set_by) > (:afterScope, :afterKey, :afterOwner)
        and (:scope is null or scope = :scope)
      order by scope, key, set_by limit :limit
    `),
    lastVersion: db.prepare(`
      select max(version) as version from (
        select version from limit_rules union all select version from operator_limit_rules
        union all select version from limit_counts
      )
    `),
  }
}

const prepareWrites = (db: DatabaseSync, table: 'limit_rules' | 'operator_limit_rules') => ({
  set: db.prepare(`
    insert into ${table} (tenant, scope, key, shown, max_count, window_ms, algorithm, version, updated_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (tenant, scope, key) do update set
      shown = excluded.shown, max_count = excluded.max_count, window_ms = excluded.window_ms,
      algorithm = excluded.algorithm, version = excluded.version, updated_at = excluded.updated_at
  `),
  find: db.prepare(`select 1 from ${table} where tenant = ? and scope = ? and key = ?`),
  count: db.prepare(`select count(*) as count from ${table} where tenant = ?`),
  remove: db.prepare(`delete from ${table} where tenant = ? and scope = ? and key = ?`),
})
