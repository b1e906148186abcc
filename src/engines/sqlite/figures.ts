/**
 * Statistics over the messages of one tenant. Whole days, hours and minutes come from the kept counts (messages/counts.ts);
 * only messages of the minutes at both ends of the asked period are read.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { TenantId } from '../../domain/ids.ts'
import type { Status } from '../../domain/message/states.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, type Millis, millis } from '../../lib/time.ts'
import type { ErrorCount, ErrorQuery, Latency, StatsBucket, StatsQuery } from '../../ports/message-index.ts'
import { type Histogram, parseHistogram, SPANS } from './messages/counts.ts'

const NO_SPAN = 1

/** A period, and the largest span that it consists of: the messages of `NO_SPAN` are read. */
type Part = Readonly<{ from: number; to: number; span: number }>

/**
 * The parts of a period. No span is larger than a bucket may have: a bucket of 90 minutes consists of minutes.
 */
export function toParts(from: number, to: number, bucket: number): readonly Part[] {
  const spans: readonly number[] = SPANS.filter((span) => bucket % span === 0)
  return split(from, to, spans)
}

function split(from: number, to: number, spans: readonly number[]): readonly Part[] {
  if (from >= to) return []
  const span = spans.at(-1)
  if (span === undefined) return [{ from, to, span: NO_SPAN }]
  const [first, last] = [Math.ceil(from / span) * span, Math.floor(to / span) * span]
  const smaller = spans.slice(0, -1)
  if (first >= last) return split(from, to, smaller)
  return [...split(from, first, smaller), { from: first, to: last, span }, ...split(last, to, smaller)]
}

/** Messages of one shape that were created within one span. */
type Counted = Readonly<{
  channel: StatsBucket['channel']
  provider: string | null
  status: Status
  start: number
  count: number
  handoffs: Histogram
  deliveries: Histogram
}>

const KEPT = `
  select channel, provider, status, start, count, handoffs, deliveries
  from shapes cross join counts using (shape)
  where tenant = ? and span = ? and start >= ? and start < ?
`

const READ = `
  select channel, provider, status, created_at as start, 1 as count,
    iif(handoff_ms is null, '{}', '{"' || handoff_ms || '":1}') as handoffs,
    iif(delivery_ms is null, '{}', '{"' || delivery_ms || '":1}') as deliveries
  from shapes cross join messages using (shape)
  where tenant = ? and ? = ${NO_SPAN} and created_at >= ? and created_at < ?
`

function countPart(db: DatabaseSync, tenantId: TenantId, { from, to, span }: Part): readonly Counted[] {
  const rows = db.prepare(span === NO_SPAN ? READ : KEPT).all(tenantId, span, from, to)
  return rows.map((row) => ({
    channel: row['channel'] as Counted['channel'],
    provider: row['provider'] as string | null,
    status: row['status'] as Status,
    start: Number(row['start']),
    count: Number(row['count']),
    handoffs: parseHistogram(row['handoffs']),
    deliveries: parseHistogram(row['deliveries']),
  }))
}

type Tally = Readonly<{
  bucket: Pick<StatsBucket, 'start' | 'channel' | 'provider'>
  statuses: Partial<Record<Status, number>>
  handoffs: Histogram
  deliveries: Histogram
}>

export function countStats(db: DatabaseSync, { tenantId, from, to, bucket }: StatsQuery): readonly StatsBucket[] {
  const tallies = new Map<string, Tally>()
  for (const part of toParts(from, to, bucket)) {
    for (const { channel, provider, status, start, count, handoffs, deliveries } of countPart(db, tenantId, part)) {
      const slot = Math.floor(start / bucket)
      const name = `${slot} ${channel} ${provider}`
      const tally = tallies.get(name) ?? emptyTally(slot * bucket, channel, provider)
      tallies.set(name, tally)
      tally.statuses[status] = (tally.statuses[status] ?? 0) + count
      addAll(tally.handoffs, handoffs)
      addAll(tally.deliveries, deliveries)
    }
  }
  return [...tallies.values()].map(toBucket).toSorted((one, other) => one.start - other.start)
}

const emptyTally = (start: number, channel: StatsBucket['channel'], provider: string | null): Tally => ({
  bucket: { start: instant(start), channel, ...(provider === null ? {} : { provider }) },
  statuses: {},
  handoffs: new Map(),
  deliveries: new Map(),
})

function addAll(histogram: Histogram, more: Histogram): void {
  for (const [latency, count] of more) histogram.set(latency, (histogram.get(latency) ?? 0) + count)
}

function toBucket({ bucket, statuses, handoffs, deliveries }: Tally): StatsBucket {
  const [handoff, delivery] = [toLatency(handoffs), toLatency(deliveries)]
  return omitUndefined({ ...bucket, statuses, acceptToHandoff: handoff, handoffToDelivery: delivery })
}

function toLatency(histogram: Histogram): Latency | undefined {
  const sorted = [...histogram].toSorted(([one], [other]) => one - other)
  const total = sorted.reduce((sum, [, times]) => sum + times, 0)
  if (total === 0) return undefined
  const rank = (share: number): Millis => millis(latencyAt(sorted, total * share))
  return { count: total, p50: rank(0.5), p95: rank(0.95), max: rank(1) }
}

function latencyAt(sorted: readonly (readonly [latency: number, times: number])[], rank: number): number {
  let seen = 0
  const found = sorted.find(([, times]) => {
    seen += times
    return seen >= rank
  })
  return found?.[0] ?? 0
}

/** The messages with errors in a period, by shape; the newest one is found by the index. */
const ERRORS = `
  with counted as (
    select shape, count
    from shapes cross join json_each(:kept) as part cross join counts using (shape)
    where tenant = :tenant and error_code is not null and (:dead is null or dead = :dead)
      and span = part.value ->> 'span' and start >= part.value ->> 'from' and start < part.value ->> 'to'
    union all
    select shape, 1
    from shapes cross join json_each(:read) as part cross join messages using (shape)
    where tenant = :tenant and error_code is not null and (:dead is null or dead = :dead)
      and created_at >= part.value ->> 'from' and created_at < part.value ->> 'to'
  ),
  totals as (select shape, sum(count) as count from counted group by shape)
  select channel, provider, error_code, sum(count) as count,
    max((select max(created_at) from messages where messages.shape = totals.shape and created_at < :to)) as newest_at
  from totals join shapes using (shape)
  group by 1, 2, 3 order by 4 desc, 5 desc limit :limit
`

/** Before and after any message. */
const START_OF_TIME = -(2 ** 52)
const END_OF_TIME = 2 ** 52

export function countErrors(db: DatabaseSync, query: ErrorQuery): readonly ErrorCount[] {
  const { tenantId: tenant, from = START_OF_TIME, to = END_OF_TIME, dead, limit } = query
  const parts = toParts(from, to, SPANS[2])
  const json = (isRead: boolean): string => JSON.stringify(parts.filter(({ span }) => (span === NO_SPAN) === isRead))
  const isDead = dead === undefined ? null : Number(dead)
  return db
    .prepare(ERRORS)
    .all({ tenant, kept: json(false), read: json(true), dead: isDead, to, limit })
    .map(({ channel, provider, error_code: code, count, newest_at: newestAt }) => ({
      channel: channel as ErrorCount['channel'],
      ...(provider === null ? {} : { provider: String(provider) }),
      code: String(code),
      count: Number(count),
      newestAt: instant(Number(newestAt)),
    }))
}
