/**
 * Statistics over the messages of one tenant. Each query is one pass over a covering index. Latencies are aggregated
 * here, because sorting them in SQL takes ten times as long.
 */

import type { DatabaseSync } from 'node:sqlite'
import type { Status } from '../../domain/message/states.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, type Millis, millis } from '../../lib/time.ts'
import type { ErrorCount, ErrorQuery, Latency, StatsBucket, StatsQuery } from '../../ports/message-index.ts'

const STATS = `
  select created_at / cast(? as integer), channel, provider, status, handed_off_at - created_at,
    case provider_state when 'delivered' then ended_at - handed_off_at end
  from listing where tenant = ? and created_at >= ? and created_at < ? order by created_at, n
`

type Counted = readonly [
  slot: number,
  channel: StatsBucket['channel'],
  provider: string | null,
  status: Status,
  handoff: number | null,
  delivery: number | null,
]

type Tally = Readonly<{
  bucket: Pick<StatsBucket, 'start' | 'channel' | 'provider'>
  statuses: Partial<Record<Status, number>>
  handoffs: Map<number, number>
  deliveries: Map<number, number>
}>

export function countStats(db: DatabaseSync, { tenantId, from, to, bucket }: StatsQuery): readonly StatsBucket[] {
  const rows = db.prepare(STATS)
  rows.setReturnArrays(true)
  const tallies = new Map<string, Tally>()
  for (const row of rows.iterate(bucket, tenantId, from, to)) {
    const [slot, channel, provider, status, handoff, delivery] = row as unknown as Counted
    const name = `${slot} ${channel} ${provider}`
    const tally = tallies.get(name) ?? emptyTally(slot * bucket, channel, provider)
    tallies.set(name, tally)
    tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
    count(tally.handoffs, handoff)
    count(tally.deliveries, delivery)
  }
  return [...tallies.values()].map(toBucket)
}

const emptyTally = (start: number, channel: StatsBucket['channel'], provider: string | null): Tally => ({
  bucket: { start: instant(start), channel, ...(provider === null ? {} : { provider }) },
  statuses: {},
  handoffs: new Map(),
  deliveries: new Map(),
})

/** A histogram: there are far fewer distinct spans than messages. */
function count(spans: Map<number, number>, span: number | null): void {
  if (span !== null) spans.set(span, (spans.get(span) ?? 0) + 1)
}

function toBucket({ bucket, statuses, handoffs, deliveries }: Tally): StatsBucket {
  const [handoff, delivery] = [toLatency(handoffs), toLatency(deliveries)]
  return omitUndefined({ ...bucket, statuses, acceptToHandoff: handoff, handoffToDelivery: delivery })
}

function toLatency(spans: ReadonlyMap<number, number>): Latency | undefined {
  const sorted = [...spans].toSorted(([one], [other]) => one - other)
  const total = sorted.reduce((sum, [, times]) => sum + times, 0)
  if (total === 0) return undefined
  const rank = (share: number): Millis => millis(spanAt(sorted, total * share))
  return { count: total, p50: rank(0.5), p95: rank(0.95), max: rank(1) }
}

/** A receipt may overtake the provider's answer: then the latency is zero. */
function spanAt(sorted: readonly (readonly [span: number, times: number])[], rank: number): number {
  let seen = 0
  const found = sorted.find(([, times]) => {
    seen += times
    return seen >= rank
  })
  return Math.max(0, found?.[0] ?? 0)
}

const ERRORS = `
  select channel, provider, error_code, count(*) as count, max(created_at) as newest_at
  from listing
  where tenant = :tenant and error_code is not null and created_at >= :from and created_at < :to
    and (:dead is null or dead = :dead)
  group by 1, 2, 3 order by 4 desc, 5 desc limit :limit
`

export function countErrors(db: DatabaseSync, query: ErrorQuery): readonly ErrorCount[] {
  const { tenantId: tenant, from = 0, to = Number.MAX_SAFE_INTEGER, dead, limit } = query
  return db
    .prepare(ERRORS)
    .all({ tenant, from, to, dead: dead === undefined ? null : Number(dead), limit })
    .map(({ channel, provider, error_code: code, count, newest_at: newestAt }) => ({
      channel: channel as ErrorCount['channel'],
      ...(provider === null ? {} : { provider: String(provider) }),
      code: String(code),
      count: Number(count),
      newestAt: instant(Number(newestAt)),
    }))
}
