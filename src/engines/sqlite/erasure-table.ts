/** Erasures in a table. Their progress is JSON; the other columns are for lookups. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { CallKind } from './store.ts'

/** The columns of the table. */
export type ErasureRow = Readonly<Record<string, SQLOutputValue>>
export type NewErasure = readonly [id: string, tenant: string, toKey: string, requestedAt: number, body: string]

export type ErasureMethods = ReturnType<typeof erasureTable>

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

export function erasureTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    /** Returns the erasure as stored: this one, or the one that exists already. */
    startErasure(...erasure: NewErasure): ErasureRow | undefined {
      const [id, tenant, toKey] = erasure
      const existing = sql.find.get(id, tenant) ?? sql.running.get(tenant, toKey)
      if (existing !== undefined) return existing
      sql.add.run(...erasure)
      return sql.find.get(id, tenant)
    },
    findErasure: (id: string, tenant: string): ErasureRow | undefined => sql.find.get(id, tenant),
    listErasures: (tenant: string, before: number, id: string, limit: number): readonly ErasureRow[] =>
      sql.list.all(tenant, before, id, limit),
    claimErasure: (at: number, until: number): ErasureRow | undefined => sql.claim.get({ at, until }),
    saveErasure: (id: string, leaseToken: number, dueAt: number | null, body: string): boolean =>
      sql.save.run({ id, leaseToken, dueAt, body }).changes === 1,
  }
}

export const ERASURE_CALLS: Readonly<Record<keyof ErasureMethods, CallKind>> = {
  startErasure: 'write',
  findErasure: 'read',
  listErasures: 'read',
  claimErasure: 'write',
  saveErasure: 'write',
}

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
