/** The parts of long messages that have not all arrived, in two tables. */
import type { DatabaseSync } from 'node:sqlite'
import { INCOMPLETE_KEPT_FOR, type PartialMessages, type PartToAdd } from '../../ports/partial-messages.ts'
import { toPartialMessage } from '../shared/receipt-rows.ts'
import type { Table } from './tables.ts'

/**
 * `joint` is followed by the id once another message has taken its place. `repeats` counts how often a part was sent again;
 * `sealed` is empty once the message is joined, unless it was.
 */
export const PARTIAL_MESSAGE_TABLES = `
  create table partial_messages (
    id text primary key,
    tenant text not null,
    account text not null,
    joint text not null,
    total integer not null,
    joined integer not null,
    until_at integer not null,
    held_until integer
  ) strict, without rowid;
  create unique index partial_messages_of_joint on partial_messages (tenant, account, joint);
  create index partial_messages_until on partial_messages (until_at);
  create table message_parts (
    message text not null,
    number integer not null,
    digest text not null,
    sealed text not null,
    repeats integer not null default 0,
    primary key (message, number)
  ) strict, without rowid;
`

/** Rows deleted per step: few enough not to block other users of the store. */
const STEP = 200

export function partialMessageTable(db: DatabaseSync) {
  const sql = prepare(db)
  const remove = (id: string): void => {
    sql.removeParts.run(id)
    sql.remove.run(id)
  }

  function add({ digest, sealed, number, total, id, until, at, ...key }: PartToAdd) {
    const joint = { tenant: key.tenantId, account: key.accountId, joint: key.joint }
    const superseded = sql.supersede.get({ ...joint, number, digest, at })
    if (superseded !== undefined) sql.takeOver.run({ id, number, at, superseded: superseded['id'] ?? '' })
    sql.begin.run({ ...joint, id, total, until })
    sql.add.run({ ...joint, number, digest, sealed })
    return toPartialMessage(sql.find.get(joint) ?? {})
  }

  return {
    writes: {
      add,
      retract: (id, number) => void sql.retract.run(id, number),
    },
    shreds: {
      complete(id, until) {
        sql.clear.run(id)
        sql.complete.run(until, id)
      },
      remove: (ids) => ids.forEach(remove),
    },
    background: {
      takeIncomplete: (accounts, at, leasedUntil, max) =>
        accounts
          .flatMap(({ tenantId: tenant, accountId: account }) => sql.incomplete.all({ tenant, account, at, max }))
          .slice(0, max)
          .map((row) => {
            sql.hold.run(leasedUntil, String(row['id']))
            return toPartialMessage(row)
          }),
      forget(at) {
        const rows = sql.forgotten.all({ at, before: at - INCOMPLETE_KEPT_FOR, most: STEP })
        for (const { id } of rows) remove(String(id))
        return rows.length === STEP
      },
    },
  } satisfies Table<PartialMessages>
}

const IS_JOINT = 'tenant = :tenant and account = :account and joint = :joint'
const COLUMNS = 'id, tenant, account, joint, total, joined, until_at'
const PARTS = '(select json_group_array(json_array(number, sealed)) from message_parts where message = id)'
const IS_WHOLE = 'joined = 0 and (select count(*) from message_parts where message = id) = total'

const prepare = (db: DatabaseSync) => ({
  supersede: db.prepare(`
    update partial_messages set joint = joint || ' ' || id where ${IS_JOINT} and (until_at <= :at or exists (
      select 1 from message_parts where message = id and number = :number and digest <> :digest
    )) returning id
  `),
  takeOver: db.prepare(`
    insert into message_parts (message, number, digest, sealed, repeats)
    select :id, p.number, p.digest, p.sealed, p.repeats - 1 from partial_messages m join message_parts p on p.message = m.id
    where m.id = :superseded and m.until_at > :at and p.number < :number and p.repeats > 0
  `),
  begin: db.prepare(`
    insert into partial_messages (id, tenant, account, joint, total, joined, until_at)
    values (:id, :tenant, :account, :joint, :total, 0, :until) on conflict do nothing
  `),
  add: db.prepare(`
    insert into message_parts (message, number, digest, sealed)
    select id, :number, :digest, :sealed from partial_messages where ${IS_JOINT}
    on conflict (message, number) do update set
      repeats = repeats + 1, sealed = case when sealed = '' then excluded.sealed else sealed end
  `),
  find: db.prepare(
    `select ${COLUMNS}, case when ${IS_WHOLE} then ${PARTS} end as parts from partial_messages where ${IS_JOINT}`,
  ),
  retract: db.prepare('delete from message_parts where message = ? and number = ?'),
  clear: db.prepare(`update message_parts set sealed = '' where message = ? and repeats = 0`),
  complete: db.prepare('update partial_messages set joined = 1, until_at = ? where id = ?'),
  removeParts: db.prepare('delete from message_parts where message = ?'),
  remove: db.prepare('delete from partial_messages where id = ?'),
  incomplete: db.prepare(`
    select ${COLUMNS}, ${PARTS} as parts from partial_messages
    where until_at <= :at and joined = 0 and tenant = :tenant and account = :account and coalesce(held_until, 0) <= :at
    order by until_at limit :max
  `),
  hold: db.prepare('update partial_messages set held_until = ? where id = ?'),
  forgotten: db.prepare(`
    select id from partial_messages where until_at <= :at and (joined = 1 or until_at <= :before)
    order by until_at limit :most
  `),
})
