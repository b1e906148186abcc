/** The audit log in a table that refuses changes. Entries are JSON; the other columns are for lookups. */
import type { DatabaseSync } from 'node:sqlite'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { AuditLog, AuditQuery } from '../../../ports/audit-log.ts'
import { toAuditBounds, toAuditEntry, toAuditKeys } from '../../shared/audit-rows.ts'
import { type Driver, remote } from '../driver.ts'
import type { SearchMethods } from '../message-index.ts'
import type { StoreMethods } from '../store.ts'
import type { Table } from '../tables.ts'

export const AUDIT_TABLES = `
  -- \`tenant\` is null for what belongs to the operator. \`actor\` and \`target\` are ids.
  create table if not exists audit_log (
    id text primary key,
    tenant text,
    action text not null,
    actor text,
    target text not null,
    body text not null
  ) strict, without rowid;
  create index if not exists audit_log_tenant on audit_log (tenant, id);
  create index if not exists audit_log_action on audit_log (action, id);
  create index if not exists audit_log_actor on audit_log (actor, id);
  create index if not exists audit_log_target on audit_log (target, id);
  create trigger if not exists audit_log_keeps before update on audit_log
  begin
    select raise(abort, 'entries of the audit log cannot be changed');
  end;
  create trigger if not exists audit_log_stays before delete on audit_log
  begin
    select raise(abort, 'entries of the audit log cannot be deleted');
  end;
  -- Otherwise \`insert or replace\` would delete an entry without firing the trigger above.
  create trigger if not exists audit_log_adds before insert on audit_log
  when exists (select 1 from audit_log where id = new.id)
  begin
    select raise(ignore);
  end;
`

/** Lists run on the read-only connection, so that an export delays no write. */
export const sqliteAuditLog = (writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): AuditLog => ({
  ...remote(writer, 'auditLog'),
  ...remote(reader, 'auditLog'),
})

export function auditTable(db: DatabaseSync) {
  const add = db.prepare('insert into audit_log (id, tenant, action, actor, target, body) values (?, ?, ?, ?, ?, ?)')
  return {
    writes: {
      append(entry) {
        const { id, tenantId = null, action } = entry
        const { actor = null, target } = toAuditKeys(entry)
        return add.run(id, tenantId, action, actor, target, JSON.stringify(entry)).changes === 1
      },
    },
  } satisfies Table<AuditLog>
}

export const auditList = (db: DatabaseSync) =>
  ({
    reads: {
      list: (query) => db.prepare(toSelect(query)).all(toValues(query)).map(toAuditEntry),
    },
  }) satisfies Table<AuditLog>

const EQUALS = { tenantId: 'tenant', action: 'action', actor: 'actor', target: 'target' } as const

/** The rarest filter first: SQLite has no statistics, so \`+\` keeps it from using any other index. */
const BY_RARITY = ['target', 'actor', 'action', 'tenantId'] as const

function toSelect(query: AuditQuery): string {
  const given = BY_RARITY.filter((name) => query[name] !== undefined)
  const equal = given.map((name, nth) => `${nth === 0 ? '' : '+'}${EQUALS[name]} = :${name}`)
  const where = [...equal, 'id >= :from', 'id < :below'].join(' and ')
  return `select body from audit_log where ${where} order by id desc limit :limit`
}

function toValues(query: AuditQuery) {
  const { tenantId, action, actor, target, limit } = query
  return omitUndefined({ tenantId, action, actor, target, limit, ...toAuditBounds(query) })
}
