/**
 * Keeps the counts of the index: adds what has changed to them, and counts the messages that were not: those stored
 * before there were counts, and those that an earlier release writes during an upgrade. Any process may do it.
 */

import { COUNTING } from './applied-counts.ts'
import type { Database } from './database.ts'
import { isOfShape, SHAPE_COLUMNS } from './shapes.ts'

/** Only one process at a time adds; any number that no other program locks in this database. */
const ALONE = { text: 'select pg_advisory_xact_lock(7026622, 0)' } as const

/** Few enough for the statement timeout: one row has the latencies of up to some hundred messages. */
const CHANGES = 500
const MESSAGES = 1_000

const toHistogram = (kind: string): string => `
  select tenant, span, start, shape, jsonb_object_agg(latency, messages) as histogram from (
    select tenant, span, pombo.start_of(span, minute) as start, shape, latency, sum(messages) as messages
    from ${kind} cross join span group by 1, 2, 3, 4, 5 having sum(messages) <> 0
  ) as summed group by 1, 2, 3, 4
`

const toLatencies = (column: string): string => `
  select tenant, minute, shape, latency, sum(times) as messages
  from taken cross join lateral unnest(${column}) as latency group by 1, 2, 3, 4
`

const ADD = `
  with taken as (
    delete from pombo.count_changes where n in (select n from pombo.count_changes order by n limit ${CHANGES})
    returning tenant, minute, shape, times, count, handoffs, deliveries
  ),
  span as (select * from unnest(array[60000, 3600000, 86400000]::bigint[]) as span),
  total as (
    select tenant, span, pombo.start_of(span, minute) as start, shape, sum(times * count) as count
    from taken cross join span group by 1, 2, 3, 4
  ),
  handed_off as (${toLatencies('handoffs')}),
  delivered as (${toLatencies('deliveries')})
  insert into pombo.counts as known (tenant, span, start, shape, count, handoffs, deliveries)
  select tenant, span, start, shape, count, coalesce(h.histogram, '{}'), coalesce(d.histogram, '{}')
  from total left join (${toHistogram('handed_off')}) as h using (tenant, span, start, shape)
    left join (${toHistogram('delivered')}) as d using (tenant, span, start, shape)
  on conflict (tenant, span, start, shape) do update set count = known.count + excluded.count,
    handoffs = pombo.add_latencies(known.handoffs, excluded.handoffs),
    deliveries = pombo.add_latencies(known.deliveries, excluded.deliveries)
`

const CLEAN = `
  with empty as (delete from pombo.counts where count = 0)
  select exists (select from pombo.count_changes) as more
`

/** The newest first. By `shape` too, because PostgreSQL does not take `is null` for an order that the index has. */
const UNCOUNTED = `
  from pombo.messages where shape is null order by shape desc, created_at desc, id desc limit ${MESSAGES}
`

const ADD_SHAPES = `
  insert into pombo.shapes (${SHAPE_COLUMNS.join(', ')})
  select distinct * from (select ${SHAPE_COLUMNS.join(', ')} ${UNCOUNTED}) as uncounted
  on conflict do nothing
`

const COUNT = `
  with uncounted as (select id, ${SHAPE_COLUMNS.join(', ')} ${UNCOUNTED} for update skip locked),
  shaped as (
    update pombo.messages m set shape = s.shape from uncounted join pombo.shapes s on ${isOfShape('s', 'uncounted')}
    where m.id = uncounted.id returning m.*
  ),
  added as (
    insert into pombo.count_changes (tenant, minute, shape, times, count, handoffs, deliveries)
    select tenant, pombo.start_of(60000, created_at), shape, 1, count(*),
      array_remove(array_agg(pombo.latency(created_at, handed_off_at)), null),
      array_remove(array_agg(pombo.latency(handed_off_at, pombo.delivered_at(provider_state, ended_at))), null)
    from shaped group by 1, 2, 3
  )
  select count(*) as counted from shaped
`

const HAS_UNCOUNTED = 'select exists (select from pombo.messages where shape is null) as has'

type Stored = Pick<Database, 'asSystem'>

/** Whether some messages are not counted, so that figures must be counted on demand. Known for a moment. */
export function uncountedCheck(db: Stored, knownForMs = 1_000): () => Promise<boolean> {
  let [known, until] = [Promise.resolve(true), Number.NEGATIVE_INFINITY]
  return () => {
    if (performance.now() < until) return known
    until = performance.now() + knownForMs
    known = hasUncounted(db)
    known.catch(() => {
      until = Number.NEGATIVE_INFINITY
    })
    return known
  }
}

const hasUncounted = async (db: Stored): Promise<boolean> => (await db.asSystem(HAS_UNCOUNTED))[0]?.['has'] === true

/** Does some of what is to be done. Returns whether there is more. */
export async function keepCounts(db: Stored): Promise<boolean> {
  let counted = 0
  if (await hasUncounted(db)) {
    const [row] = await db.asSystem(COUNT, [], [COUNTING, { text: ADD_SHAPES }])
    counted = Number(row?.['counted'])
  }
  const [left] = await db.asSystem(CLEAN, [], [ALONE, { text: ADD }])
  return counted > 0 || left?.['more'] === true
}
