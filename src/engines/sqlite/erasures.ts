/** Erasures in a table. Their progress is JSON; the other columns are for lookups. */
import type { DatabaseSync } from 'node:sqlite'
import { parseErasureCursor, toErasureCursor } from '../../domain/message/erasure.ts'
import type { Erasures } from '../../ports/erasures.ts'
import { wellFormed } from '../shared/cursors.ts'
import { type Row, toErasureRow } from '../shared/rows.ts'
import { toPage } from './page.ts'
import type { Table } from './tables.ts'

export const ERASURE_TABLE = `
  -- Erasures by recipient. \`due_at\` is when the next step is due; null once the erasure is complete.
  create table if not exists erasures (
    id text primary key,
    tenant text not null,
    to_key text not null,
    requested_at integer not null,
    due_at integer,
    lease_token integer not null,
    body text not null
  ) strict, without rowid;
  create unique index if not exists erasures_running on erasures (tenant, to_key) where due_at is not null;
  create index if not exists erasures_due on erasures (due_at) where due_at is not null;
  create index if not exists erasures_newest on erasures (tenant, requested_at, id);
`

/** A cursor before the newest erasure. */
const NEWEST = [Number.MAX_SAFE_INTEGER, ''] as const

export function erasureTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    writes: {
      start(erasure) {
        const { id, tenantId, toKey, requestedAt } = erasure
        const existing = sql.find.get(id, tenantId) ?? sql.running.get(tenantId, toKey)
        if (existing !== undefined) return toErasureRow(existing)
        sql.add.run(id, tenantId, toKey, requestedAt, JSON.stringify(erasure))
        return erasure
      },
      claim(at, until) {
        const row = sql.claim.get({ at, until })
        return row && { erasure: toErasureRow(row), leaseToken: Number(row['lease_token']) }
      },
      save({ erasure, leaseToken }, dueAt) {
        const row = { id: erasure.id, leaseToken, dueAt: dueAt ?? null, body: JSON.stringify(erasure) }
        return sql.save.run(row).changes === 1
      },
    },
    reads: {
      find: (tenantId, id) => toFound(sql.find.get(id, tenantId)),
      list({ tenantId, limit, cursor }) {
        const after = cursor === undefined ? NEWEST : wellFormed(parseErasureCursor(cursor))
        const found = sql.list.all(tenantId, ...after, limit + 1).map(toErasureRow)
        const { page: erasures, ...next } = toPage(found, limit, toErasureCursor)
        return { erasures, ...next }
      },
    },
  } satisfies Table<Erasures>
}

const toFound = (row: Row | undefined) => row && toErasureRow(row)

function prepare(db: DatabaseSync) {
  return {
    add: db.prepare(`
      insert into erasures (id, tenant, to_key, requested_at, due_at, lease_token, body) values (?1, ?2, ?3, ?4, ?4, 0, ?5)
    `),
    find: db.prepare('select * from erasures where id = ? and tenant = ?'),
    running: db.prepare('select * from erasures where tenant = ? and to_key = ? and due_at is not null'),
    list: db.prepare(`
      select * from erasures where tenant = ? and (requested_at, id) < (?, ?) order by requested_at desc, id desc limit ?
    `),
    claim: db.prepare(`
      update erasures set due_at = :until, lease_token = lease_token + 1
      where id = (select id from erasures where due_at <= :at order by due_at limit 1)
      returning *
    `),
    save: db.prepare(`
      update erasures set due_at = :dueAt, body = :body where id = :id and lease_token = :leaseToken and due_at is not null
    `),
  }
}
