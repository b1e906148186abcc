/** The alerts that are raised, in a table. */
import type { DatabaseSync } from 'node:sqlite'
import type { RaisedAlerts } from '../../ports/raised-alerts.ts'
import { toSubjects } from '../shared/alert-rows.ts'
import type { Table } from './tables.ts'

export const RAISED_ALERT_TABLES = `
  create table raised_alerts (
    kind text not null,
    subject text not null,
    since integer not null,
    primary key (kind, subject)
  ) strict, without rowid;
`

export function raisedAlertTable(db: DatabaseSync) {
  const find = db.prepare('select since from raised_alerts where kind = ? and subject = ?')
  const insert = db.prepare('insert into raised_alerts (kind, subject, since) values (?, ?, ?) on conflict do nothing')
  const list = db.prepare('select subject, since from raised_alerts where kind = ?')
  const remove = db.prepare('delete from raised_alerts where kind = ? and subject = ? and since = ?')
  return {
    writes: {
      raise({ kind, subject }, at) {
        const isNew = insert.run(kind, subject, at).changes === 1
        const { since } = find.get(kind, subject) ?? {}
        return { since: Number(since) as typeof at, isNew }
      },
      clear: ({ kind, subject }, since) => remove.run(kind, subject, since).changes === 1,
    },
    reads: { list: (kind) => toSubjects(list.all(kind)) },
  } satisfies Table<RaisedAlerts>
}
