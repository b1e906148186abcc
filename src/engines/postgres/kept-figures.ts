/**
 * Statistics from the kept counts and what has changed since they were written; only messages of the minutes at both ends
 * of a period are read.
 */
import type { TenantId } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { ErrorCount, ErrorQuery, Filter, StatsBucket, StatsQuery } from '../../ports/message-index.ts'
import {
  type Counted,
  END_OF_TIME,
  type Histogram,
  NO_SPAN,
  type Part,
  SPANS,
  START_OF_TIME,
  toParts,
  toStatsBuckets,
} from '../shared/figures.ts'
import type { Database, Rows } from './database.ts'
import { toShapeQuery } from './shapes.ts'

/** Adds a value and returns its place. */
type Place = (value: unknown) => string

/** The places of the bounds of a part, each part with its own, so that PostgreSQL knows how much it will read. */
const placesOf = ({ from, to }: Part, place: Place): readonly [string, string] => [
  `${place(from)}::bigint`,
  `${place(to)}::bigint`,
]

/** Some of the tenant that is `$1`, in all parts. */
const inParts = (
  parts: readonly Part[],
  place: Place,
  ofPart: (part: Part, from: string, to: string) => readonly string[],
): string => parts.flatMap((part) => ofPart(part, ...placesOf(part, place))).join(' union all ')

const toStats = (parts: readonly Part[], bucket: string, place: Place): string => `
  with found as (${inParts(parts, place, ({ span }, from, to) =>
    span === NO_SPAN
      ? [
          `select shape, min(created_at) as start, 1 as times, count(*) as count, null::jsonb as handoffs,
            null::jsonb as deliveries, array_agg(handoff) as handed_off, array_agg(delivery) as delivered
          from (
            select shape, created_at, pombo.latency(created_at, handed_off_at) as handoff,
              pombo.latency(handed_off_at, pombo.delivered_at(provider_state, ended_at)) as delivery
            from pombo.messages where tenant = $1 and created_at >= ${from} and created_at < ${to}
          ) as read
          group by shape, pombo.start_of(${bucket}::bigint, created_at)`,
        ]
      : [
          `select shape, start, 1 as times, count, handoffs, deliveries, null::bigint[] as handed_off,
            null::bigint[] as delivered
          from pombo.counts where tenant = $1 and span = ${span} and start >= ${from} and start < ${to}`,
          `select shape, minute, times, count, null, null, handoffs, deliveries
          from pombo.count_changes where tenant = $1 and minute >= ${from} and minute < ${to}`,
        ],
  )})
  select channel, provider, status, start, times, count, found.handoffs, found.deliveries, handed_off, delivered
  from found join pombo.shapes using (shape)
`

export async function keptStats(
  db: Database,
  { tenantId, from, to, bucket }: StatsQuery,
): Promise<readonly StatsBucket[]> {
  const parts = toParts(from, to, bucket)
  if (parts.length === 0) return []
  const values: unknown[] = [tenantId]
  const place: Place = (value) => `$${values.push(value)}`
  const sql = toStats(parts, String(bucket), place)
  return toStatsBuckets((await db.asTenant(tenantId, sql, values)).map(toCounted), bucket)
}

function toCounted(row: Rows[number]): Counted {
  const times = Number(row['times'])
  return {
    channel: row['channel'] as Counted['channel'],
    provider: row['provider'] as string | null,
    status: row['status'] as Counted['status'],
    start: Number(row['start']),
    count: times * Number(row['count']),
    handoffs: toHistogram(row['handoffs'], row['handed_off'], times),
    deliveries: toHistogram(row['deliveries'], row['delivered'], times),
  }
}

/** As it is kept, or one by one, each so many times. */
function toHistogram(kept: unknown, latencies: unknown, times: number): Histogram {
  if (kept !== null) {
    return new Map(Object.entries(kept as Record<string, number>).map(([latency, count]) => [Number(latency), count]))
  }
  const histogram: Histogram = new Map()
  for (const latency of (latencies ?? []) as readonly (number | null)[]) {
    if (latency !== null) histogram.set(latency, (histogram.get(latency) ?? 0) + times)
  }
  return histogram
}

/** How many messages of each of some shapes there are in a period; `shapes` is a condition on `s`. */
const countsIn = (parts: readonly Part[], shapes: string, place: Place): string => `
  with s as materialized (select * from pombo.shapes s where s.tenant = $1 and ${shapes}),
  counted as (
    select shape, sum(count)::bigint as count from (${inParts(parts, place, ({ span }, from, to) =>
      span === NO_SPAN
        ? [
            `select s.shape, read.count from s cross join lateral (
              select count(*) as count from pombo.messages m
              where m.shape = s.shape and m.created_at >= ${from} and m.created_at < ${to}
            ) as read`,
          ]
        : [
            `select shape, sum(count) from pombo.counts
            where tenant = $1 and span = ${span} and start >= ${from} and start < ${to} group by shape`,
            `select shape, sum(times * count) from pombo.count_changes
            where tenant = $1 and minute >= ${from} and minute < ${to} group by shape`,
          ],
    )}) as found (shape, count) group by shape having sum(count) <> 0
  )
`

export async function keptErrors(db: Database, query: ErrorQuery): Promise<readonly ErrorCount[]> {
  const { tenantId, from = START_OF_TIME, to = END_OF_TIME, dead, limit } = query
  const parts = toParts(from, to, SPANS[2])
  if (parts.length === 0) return []
  const values: unknown[] = [tenantId]
  const place: Place = (value) => `$${values.push(value)}`
  const withError = `s.error_code is not null${dead === undefined ? '' : ` and s.dead = ${place(dead)}`}`
  // The newest message of each shape is found by the index.
  const sql = `
    ${countsIn(parts, withError, place)}
    select channel, provider, error_code, sum(count)::bigint as count, max(newest_at) as newest_at
    from counted join s using (shape) cross join lateral (
      select m.created_at as newest_at from pombo.messages m
      where m.shape = s.shape and m.created_at < ${place(to)}::bigint
      order by m.created_at desc, m.id desc limit 1
    ) as newest
    group by 1, 2, 3 order by 4 desc, 5 desc limit ${limit}
  `
  return (await db.asSystem(sql, values)).map(
    ({ channel, provider, error_code: code, count, newest_at: newestAt }) => ({
      channel: channel as ErrorCount['channel'],
      ...(provider === null ? {} : { provider: String(provider) }),
      code: String(code),
      count: Number(count),
      newestAt: instant(Number(newestAt)),
    }),
  )
}

/** The messages that match a filter of nothing but shapes and times. */
export async function keptTotal(db: Database, tenantId: TenantId, filter: Filter): Promise<number> {
  const { createdFrom = START_OF_TIME, createdTo = END_OF_TIME } = filter
  const parts = toParts(createdFrom, createdTo, SPANS[2])
  if (parts.length === 0) return 0
  const { sql: shapes, values } = toShapeQuery(tenantId, filter)
  const place: Place = (value) => `$${values.push(value)}`
  const sql = `${countsIn(parts, shapes, place)} select sum(count)::bigint as total from counted join s using (shape)`
  const [row] = await db.asSystem(sql, values)
  return Number(row?.['total'] ?? 0)
}
