/**
 * Statistics over the messages of one tenant. Whole days, hours and minutes come from the kept counts (messages/counts.ts);
 * only messages of the minutes at both ends of the asked period are read.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { TenantId } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { ErrorCount, ErrorQuery, Filter, StatsBucket, StatsQuery } from '../../ports/message-index.ts'
import {
  type Counted,
  END_OF_TIME,
  NO_SPAN,
  type Part,
  SPANS,
  START_OF_TIME,
  toParts,
  toStatsBuckets,
} from '../shared/figures.ts'
import { parseHistogram } from './messages/counts.ts'
import { findShapes } from './messages/shapes.ts'

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
    status: row['status'] as Counted['status'],
    start: Number(row['start']),
    count: Number(row['count']),
    handoffs: parseHistogram(row['handoffs']),
    deliveries: parseHistogram(row['deliveries']),
  }))
}

export const countStats = (db: DatabaseSync, { tenantId, from, to, bucket }: StatsQuery): readonly StatsBucket[] =>
  toStatsBuckets(
    toParts(from, to, bucket).flatMap((part) => countPart(db, tenantId, part)),
    bucket,
  )

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

/** Of some shapes; only messages of the minutes at both ends of the period are read. */
const TOTAL = `
  select (
    select coalesce(sum(count), 0)
    from json_each(:shapes) as asked cross join json_each(:kept) as part cross join counts
    where shape = asked.value and span = part.value ->> 'span'
      and start >= part.value ->> 'from' and start < part.value ->> 'to'
  ) + (
    select count(*)
    from json_each(:shapes) as asked cross join json_each(:read) as part cross join messages
    where shape = asked.value and created_at >= part.value ->> 'from' and created_at < part.value ->> 'to'
  ) as total
`

/** The messages that match a filter of nothing but shapes and times. */
export function countByShape(db: DatabaseSync, tenantId: TenantId, filter: Filter): number {
  const { createdFrom = START_OF_TIME, createdTo = END_OF_TIME } = filter
  const parts = toParts(createdFrom, createdTo, SPANS[2])
  const json = (isRead: boolean): string => JSON.stringify(parts.filter(({ span }) => (span === NO_SPAN) === isRead))
  const shapes = JSON.stringify(findShapes(db, tenantId, filter))
  return Number(db.prepare(TOTAL).get({ shapes, kept: json(false), read: json(true) })?.['total'])
}
