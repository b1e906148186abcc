/** The counts of limits in a table. Expired ones are deleted as others are written. */
import type { DatabaseSync } from 'node:sqlite'
import type { Row } from '../shared/rows.ts'

type CountName = readonly [tenant: string, scope: string, key: string, version: number]
/** Without a tally the counter is deleted. */
export type CountRow = readonly [...CountName, tally: string | null, endsAt: number]

/** How many counts one call writes. It deletes twice as many expired ones. */
export const COUNTS_PER_CALL = 1_000
const ENDED_PER_CALL = 2 * COUNTS_PER_CALL
const BEFORE_ALL: CountName = ['', '', '', 0]

export function limitCountTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    reads: {
      /** Counts that have not expired, a page at a time. */
      page(at: number, after: CountRow | undefined): readonly CountRow[] {
        const [tenant, scope, key, version] = after ?? BEFORE_ALL
        return sql.counts.all(at, tenant, scope, key, version, COUNTS_PER_CALL).map(toCountRow)
      },
    },
    background: {
      write(rows: readonly CountRow[], at: number): void {
        for (const [tenant, scope, key, version, tally, endsAt] of rows) {
          if (tally === null) sql.forget.run(tenant, scope, key, version)
          else sql.keep.run(tenant, scope, key, version, tally, endsAt)
        }
        sql.forgetEnded.run(at, ENDED_PER_CALL)
      },
    },
  }
}

const toCountRow = (row: Row): CountRow => [
  String(row['tenant']),
  String(row['scope']),
  String(row['key']),
  Number(row['version']),
  String(row['tally']),
  Number(row['ends_at']),
]

function prepare(db: DatabaseSync) {
  return {
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
