/** The alerts that are raised, for all processes of the cluster. */
import { instant } from '../../lib/time.ts'
import type { RaisedAlerts } from '../../ports/raised-alerts.ts'
import { toSubjects } from '../shared/alert-rows.ts'
import type { Database } from './database.ts'

/** The update changes nothing, but returns the row. */
const RAISE = `
  insert into pombo.raised_alerts as raised (kind, subject, since) values ($1, $2, $3)
  on conflict (kind, subject) do update set since = raised.since returning since, xmax = 0 as is_new
`
const LIST = 'select subject, since from pombo.raised_alerts where kind = $1'
const CLEAR = 'delete from pombo.raised_alerts where kind = $1 and subject = $2 and since = $3 returning since'

export const postgresRaisedAlerts = (db: Database): RaisedAlerts => ({
  async raise({ kind, subject }, at) {
    const [row] = await db.asSystem(RAISE, [kind, subject, at])
    return { since: instant(Number(row?.['since'])), isNew: row?.['is_new'] === true }
  },
  list: async (kind) => toSubjects(await db.asSystem(LIST, [kind])),
  clear: async ({ kind, subject }, since) => (await db.asSystem(CLEAR, [kind, subject, since])).length === 1,
})
