/**
 * The tables and statements of the simulator's file.
 *
 * The inbox has no unique key but its sequence number, because duplicates must be visible. A pending receipt (`owed`) is
 * identified by its reception, so numbers are never reused when the table is empty. A mail is a row of `inbox` and a row
 * of `mails` with the same number, so that SMS rows stay small.
 */
import type { DatabaseSync } from 'node:sqlite'

const OWED = `
  create table if not exists owed (
    callback text not null, due_at integer not null, reception integer not null, nth integer not null,
    state text not null, code text, detail text, suppresses text,
    primary key (callback, due_at, reception, nth)
  ) strict, without rowid;
`

export const SCHEMA = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = 4000;
  create table if not exists inbox (
    seq integer primary key,
    tenant_id text not null, recipient text not null, sender text, body text not null,
    attempt_id text not null, message_id text not null, cycle integer not null, attempt integer not null,
    received_at integer not null
  ) strict;
  create table if not exists mails (
    seq integer primary key, subject text not null, letter blob not null, raw blob not null
  ) strict;
  create table if not exists register (
    chapter integer not null, name text not null, seq integer not null,
    primary key (chapter, name, seq)
  ) strict, without rowid;
  ${OWED}
`

/** Migrates a file of an earlier version. */
export function upgrade(db: DatabaseSync): void {
  if (!owedHas(db, 'callback')) db.exec(OWE_TO_CALLBACKS)
  if (!owedHas(db, 'suppresses')) db.exec('alter table owed add column suppresses text')
}

const owedHas = (db: DatabaseSync, column: string): boolean =>
  db.prepare("select 1 from pragma_table_info('owed') where name = ?").get(column) !== undefined

/** In a file from before callbacks existed, receipts are for the process that opens it: the empty callback. */
const OWE_TO_CALLBACKS = `
  begin immediate;
  alter table owed rename to owed_before;
  ${OWED}
  insert into owed select '', *, null from owed_before;
  drop table owed_before;
  commit;
`

export const statements = (db: DatabaseSync) => ({
  begin: db.prepare('begin immediate'),
  commit: db.prepare('commit'),
  receive: db.prepare('insert into inbox values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
  receiveMail: db.prepare('insert into mails values (?, ?, ?, ?)'),
  owe: db.prepare('insert into owed values (?, ?, ?, ?, ?, ?, ?, ?)'),
  markDelivered: db.prepare('delete from owed where callback = ? and (due_at, reception, nth) <= (?, ?, ?)'),
  owed: db.prepare('select distinct callback from owed'),
  due: db.prepare(
    `select due_at, reception, nth, message_id, cycle, attempt, attempt_id, state, code, detail, suppresses
     from owed join inbox on seq = reception
     where callback = ? and (due_at, reception, nth) > (?, ?, ?) and due_at <= ?
     order by due_at, reception, nth limit ?`,
    { returnArrays: true },
  ),
  nextDue: db.prepare(
    `select due_at as value from owed where callback = ? and (due_at, reception, nth) > (?, ?, ?)
     order by due_at, reception, nth limit 1`,
  ),
  fileChapter: db.prepare(
    `insert into register select ?1, name, seq from (
       select attempt_id as name, seq from inbox where seq > ?2 and seq <= ?3
       union all select tenant_id || '/' || recipient, seq from inbox where seq > ?2 and seq <= ?3
     ) order by name, seq`,
  ),
  inChapter: db.prepare('select seq as value from register where chapter = ? and name = ? order by seq desc'),
  unfiled: db.prepare(
    `select seq as value from inbox
     where seq > ?1 and (attempt_id = ?2 or tenant_id || '/' || recipient = ?2) order by seq desc`,
  ),
  ofTenant: db.prepare('select seq as value from inbox where tenant_id = ? order by seq desc limit ?'),
  reception: db.prepare('select inbox.*, subject from inbox left join mails using (seq) where seq = ?'),
  mail: db.prepare('select letter, raw from mails where seq = ?'),
  duplicates: db.prepare(
    `select (select count(*) from inbox) as receptions,
       (select count(*) from (select 1 from inbox group by attempt_id having count(*) > 1)) as attempts,
       (select count(*) from (select 1 from inbox group by message_id, cycle having count(*) > 1)) as messages`,
  ),
  lastSeq: db.prepare('select max(seq) as value from inbox'),
  lastChapter: db.prepare('select max(chapter) as value from register'),
})
