/** Limit rules and their counts in tables. Expired counts are deleted as others are written. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { CallKind } from './store.ts'

/** The columns of the table: tenant, scope, key and so on. */
export type LimitRow = Readonly<Record<string, SQLOutputValue>>
export type NewLimit = readonly [
  tenant: string,
  scope: string,
  key: string,
  shown: string,
  maxCount: number,
  windowMs: number,
  algorithm: string,
  version: number,
  updatedAt: number,
]

type CountName = readonly [tenant: string, scope: string, key: string, version: number]
/** Without a tally the counter is deleted. */
export type CountRow = readonly [...CountName, tally: string | null, endsAt: number]

/** How many counts one call writes. It deletes twice as many expired ones. */
export const COUNTS_PER_CALL = 1_000
const ENDED_PER_CALL = 2 * COUNTS_PER_CALL
const BEFORE_ALL: CountName = ['', '', '', 0]

export type LimitMethods = ReturnType<typeof limitTables>

export function limitTables(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    setLimit: (limit: NewLimit): void => void sql.set.run(...limit),
    removeLimit: (tenant: string, scope: string, key: string): boolean =>
      sql.remove.run(tenant, scope, key).changes === 1,
    allLimits: (): readonly LimitRow[] => sql.all.all(),
    listLimits: (tenant: string, scope: string | null, afterScope: string, afterKey: string, limit: number) =>
      sql.list.all({ tenant, scope, afterScope, afterKey, limit }) as readonly LimitRow[],
    /** The highest version of all limits and counts. */
    lastLimitVersion: (): number => Number(sql.lastVersion.get()?.['version'] ?? 0),

    /** Counts that have not expired, a page at a time. */
    limitCounts: (at: number, after: CountRow | undefined): readonly CountRow[] => {
      const [tenant, scope, key, version] = after ?? BEFORE_ALL
      return sql.counts.all(at, tenant, scope, key, version, COUNTS_PER_CALL).map(toCountRow)
    },
    writeLimitCounts(rows: readonly CountRow[], at: number): void {
      for (const [tenant, scope, key, version, tally, endsAt] of rows) {
        if (tally === null) sql.forget.run(tenant, scope, key, version)
        else sql.keep.run(tenant, scope, key, version, tally, endsAt)
      }
      sql.forgetEnded.run(at, ENDED_PER_CALL)
    },
  }
}

export const LIMIT_CALLS: Readonly<Record<keyof LimitMethods, CallKind>> = {
  setLimit: 'write',
  removeLimit: 'write',
  allLimits: 'read',
  listLimits: 'read',
  lastLimitVersion: 'read',
  limitCounts: 'read',
  writeLimitCounts: 'background',
}

const toCountRow = (row: LimitRow): CountRow => [
  String(row['tenant']),
  String(row['scope']),
  String(row['key']),
  Number(row['version']),
  String(row['tally']),
  Number(row['ends_at']),
]

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
    counts: db.prepare(`
      select * from limit_counts where ends_at > ? and (tenant, scope, key, version) > (?, ?, ?, ?)
      order by tenant, scope, key, version limit ?
    `),
    keep: db.prepare(`
      insert into limit_counts (tenant, scope, key, version, tally, ends_at) values (?, ?, ?, ?, ?, ?)
      on conflict (tenant, scope, key, version) do update set tally = excluded.tally, ends_at = excluded.ends_at
    `),
    forget: db.prepare('delete from limit_counts where tenant = ? and scope = ? and key = ? and version = ?'),
    forgetEnded: db.prepare(`
      delete from limit_counts where (tenant, scope, key, version) in
        (select tenant, scope, key, version from limit_counts where ends_at <= ? order by ends_at limit ?)
    `),
  }
}
