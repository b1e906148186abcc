/**
 * Statistics over the messages of one tenant, counted on demand in one pass: while some messages are not in the kept counts
 * (kept-figures.ts) yet.
 */
import { STATUSES, type Status } from '../../domain/message/states.ts'
import { instant } from '../../lib/time.ts'
import type { ErrorCount, ErrorQuery, Latency, StatsBucket, StatsQuery } from '../../ports/message-index.ts'
import type { Database, Rows } from './database.ts'

type Counted = Rows[number]

const HANDOFF = 'handed_off_at - created_at'
const DELIVERY = `case provider_state when 'delivered' then ended_at - handed_off_at end`

/** Median, 95th percentile and maximum; rows without such a span do not count. */
const spans = (span: string): string => `percentile_disc(array[0.5, 0.95, 1]) within group (order by ${span})::float8[]`

const STATS = `
  select created_at / $2::bigint as slot, channel, provider,
    ${STATUSES.map((status) => `count(*) filter (where status = '${status}')::int as ${status}`)},
    count(${HANDOFF})::int as handoffs, ${spans(HANDOFF)} as handoff,
    count(${DELIVERY})::int as deliveries, ${spans(DELIVERY)} as delivery
  from pombo.messages where tenant = $1 and created_at >= $3 and created_at < $4
  group by 1, 2, 3 order by 1, 2, 3
`

export async function countStats(db: Database, query: StatsQuery): Promise<readonly StatsBucket[]> {
  const { tenantId, from, to, bucket } = query
  const counted = await db.asTenant(tenantId, STATS, [tenantId, bucket, from, to])
  return counted.map((row) => toBucket(row, bucket))
}

function toBucket(row: Counted, bucket: number): StatsBucket {
  const { slot, channel, provider, handoffs, handoff, deliveries, delivery } = row
  const counts = STATUSES.map((status): [Status, number] => [status, Number(row[status])])
  return {
    start: (Number(slot) * bucket) as StatsBucket['start'],
    channel: channel as StatsBucket['channel'],
    ...(provider === null ? {} : { provider: String(provider) }),
    statuses: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    ...(handoffs === 0 ? {} : { acceptToHandoff: toLatency(handoffs, handoff) }),
    ...(deliveries === 0 ? {} : { handoffToDelivery: toLatency(deliveries, delivery) }),
  }
}

function toLatency(count: unknown, spans: unknown): Latency {
  const [p50, p95, max] = spans as readonly [Latency['p50'], Latency['p95'], Latency['max']]
  return { count: Number(count), p50, p95, max }
}

const ERRORS = `
  select channel, provider, error_code, count(*)::int as count, max(created_at) as newest_at
  from pombo.messages
  where tenant = $1 and error_code is not null and created_at >= coalesce($2::bigint, 0)
    and created_at < coalesce($3::bigint, 9223372036854775807) and dead = coalesce($4::boolean, dead)
  group by 1, 2, 3 order by 4 desc, 5 desc limit $5
`

export async function countErrors(db: Database, query: ErrorQuery): Promise<readonly ErrorCount[]> {
  const { tenantId, from, to, dead, limit } = query
  const counted = await db.asTenant(tenantId, ERRORS, [tenantId, from ?? null, to ?? null, dead ?? null, limit])
  return counted.map(({ channel, provider, error_code: code, count, newest_at: newestAt }) => ({
    channel: channel as ErrorCount['channel'],
    ...(provider === null ? {} : { provider: String(provider) }),
    code: String(code),
    count: Number(count),
    newestAt: instant(Number(newestAt)),
  }))
}
