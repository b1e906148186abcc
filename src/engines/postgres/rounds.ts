/** Rounds that one of all processes of a cluster makes: a row for each, which only whoever has seen its newest value may change. */
import type { Instant } from '../../domain/time.ts'
import type { Rounds } from '../../ports/rounds.ts'
import type { Database } from './database.ts'

export const postgresRounds = (db: Database): Rounds => ({
  async begin(name, at, notSince) {
    const [row] = await db.asSystem(BEGIN, [name, at, notSince])
    return row && (Number(row['began_at']) as Instant)
  },
})

/** `last` is as the statement found it: where somebody else was faster the row has another value by now, and stays. */
const BEGIN = `
  with last as (select began_at from pombo.rounds where name = $1),
  begun as (
    insert into pombo.rounds as r (name, began_at) values ($1, $2)
    on conflict (name) do update set began_at = excluded.began_at
    where r.began_at <= $3 and r.began_at = (select began_at from last)
    returning began_at
  )
  select coalesce(last.began_at, begun.began_at) as began_at from begun left join last on true
`
