/**
 * The limit rules in two tables, one of each owner. Each is stored before it takes effect. All are in memory except
 * those of single users, of which those used last are.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { TenantId } from '../../domain/ids.ts'
import { LimitLayers } from '../../domain/limits/limit-layers.ts'
import { LimitTable } from '../../domain/limits/limit-table.ts'
import {
  EACH,
  isOfOneUser,
  type LimitKey,
  type LimitOwner,
  type LimitScope,
  type Rule,
} from '../../domain/limits/limits.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { instant, millis } from '../../lib/time.ts'
import type { Limit, LimitRules } from '../../ports/limit-rules.ts'
import { wellFormed } from '../shared/cursors.ts'
import { COUNTS_AS_LIMIT } from '../shared/limit-quota.ts'
import type { Row } from '../shared/rows.ts'
import { type Driver, remote } from './driver.ts'
import { toPage } from './page.ts'
import type { StoreMethods } from './store.ts'
import type { Table } from './tables.ts'

export async function openLimitRules(driver: Driver<StoreMethods>): Promise<LimitRules> {
  const { known: read, limitingUsers, findOwn, newestVersion, store, remove, list } = remote(driver, 'limitRules')
  const known = new LimitLayers(() => new LimitTable<Limit>())
  for (const limit of await read()) known.of(limit.setBy).set(limit)
  for (const tenantId of await limitingUsers()) known.of('tenant').noteUsers(tenantId)
  let lastVersion = await newestVersion()
  const users = cachedUsers(findOwn)

  return {
    scopes: (tenantId) => known.scopes(tenantId),
    counters: (keys) => known.counters(keys),
    ofUser: async (tenantId, user) => known.ofUser(tenantId, user, await users.find(tenantId, user)),
    async find(key) {
      if (!isOfOneUser(key)) return known.of(key.setBy).find(key)
      return (await users.find(key.tenantId, key.key)).find(({ setBy }) => setBy === key.setBy)
    },
    list,

    async set(wanted, most = Number.MAX_SAFE_INTEGER) {
      lastVersion += 1
      const limit = { ...wanted, version: lastVersion }
      if (!(await users.forgetting(limit, store(limit, most)))) return undefined
      if (isOfOneUser(limit)) known.of('tenant').noteUsers(limit.tenantId)
      else known.of(limit.setBy).set(limit)
      return limit
    },

    async remove(key) {
      const isRemoved = await users.forgetting(key, remove(key))
      known.of(key.setBy).remove(key)
      return isRemoved
    },
  }
}

type FindOwn = (tenantId: TenantId, user: string) => Promise<readonly Limit[]>

const USERS_IN_MEMORY = 10_000

/** The limits of single users. */
function cachedUsers(findOwn: FindOwn) {
  const cache = new LruCache<string, Promise<readonly Limit[]>>(USERS_IN_MEMORY)
  const nameOf = (tenantId: TenantId, user: string): string => `${tenantId} ${user}`

  return {
    find(tenantId: TenantId, user: string): Promise<readonly Limit[]> {
      const name = nameOf(tenantId, user)
      const cached = cache.get(name)
      if (cached !== undefined) return cached
      const found = findOwn(tenantId, user)
      cache.set(name, found)
      // Only an answer is worth keeping.
      found.catch(() => cache.delete(name))
      return found
    },

    /** Forgets before and after a change: a call in between may have read what was there before. */
    async forgetting<Result>({ tenantId, key }: LimitKey, change: Promise<Result>): Promise<Result> {
      const name = nameOf(tenantId, key)
      cache.delete(name)
      try {
        return await change
      } finally {
        cache.delete(name)
      }
    },
  }
}

type Storage = Readonly<{
  /** All but those of single users. */
  known: () => readonly Limit[]
  /** The tenants that have limits of single users. */
  limitingUsers: () => readonly TenantId[]
  /** The limits of a single user. */
  findOwn: (tenantId: TenantId, user: string) => readonly Limit[]
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
        const isBounded = !isOfOneUser({ scope, key }) && sql[setBy].find.get(tenantId, scope, key) === undefined
        if (isBounded && Number(sql[setBy].count.get(tenantId)?.['count']) >= most) return false
        sql[setBy].set.run(tenantId, scope, key, shown, limit, window, algorithm, version, updatedAt)
        return true
      },
      remove: ({ setBy, tenantId, scope, key }) => sql[setBy].remove.run(tenantId, scope, key).changes === 1,
    },
    reads: {
      known: () => sql.known.all({ each: EACH }).map(toLimit),
      limitingUsers: () => sql.limitingUsers.all({ each: EACH }).map((row) => row['tenant'] as TenantId),
      findOwn: (tenant, key) => sql.findOwn.all({ tenant, key }).map(toLimit),
      newestVersion: () => Number(sql.lastVersion.get()?.['version'] ?? 0),
      list({ tenantId: tenant, scope = null, limit, cursor }) {
        const [afterScope, afterOwner, afterKey] = cursor === undefined ? ['', '', ''] : parseCursor(cursor)
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
  const [, scope = '', owner = '', key = ''] = wellFormed(/^([a-z_]+) ([a-z]+) ([^\0]+)$/.exec(cursor) ?? undefined)
  return [scope, owner, key]
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
    known: db.prepare(`select * from (${ALL}) where scope <> 'user' or key = :each`),
    limitingUsers: db.prepare(`select distinct tenant from (${ALL}) where scope = 'user' and key <> :each`),
    findOwn: db.prepare(`select * from (${ALL}) where tenant = :tenant and scope = 'user' and key = :key`),
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
  count: db.prepare(`select count(*) as count from ${table} where tenant = ? and ${COUNTS_AS_LIMIT}`),
  remove: db.prepare(`delete from ${table} where tenant = ? and scope = ? and key = ?`),
})
