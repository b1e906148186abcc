/** The recent throughput and results of each provider for one tenant, from the message index. */
import { type Static, Type } from 'typebox'
import type { TenantId } from '../../domain/ids.ts'
import { STATUSES } from '../../domain/message/states.ts'
import { type Instant, later, millis, seconds } from '../../lib/time.ts'
import type { MessageIndex, StatsBucket } from '../../ports/message-index.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { Enums } from '../http/enums.ts'
import { namedObject, nullable } from '../http/schemas.ts'

const RECENT = seconds(300)

export type RecentRates = Static<typeof RecentRates>

/** Undefined while the index is unreachable: the rest of the response does not depend on it. */
export async function recentRates(index: MessageIndex, tenantId: TenantId, now: Instant) {
  try {
    const buckets = await index.stats({ tenantId, from: later(now, millis(-RECENT)), to: now, bucket: RECENT })
    return (name: string): RecentRates => toRates(buckets.filter(({ provider }) => provider === name))
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

/** The period may span two buckets: their counts are added, and the longer of their latencies is used. */
function toRates(buckets: readonly StatsBucket[]): RecentRates {
  const statuses: RecentRates['statuses'] = {}
  for (const bucket of buckets) {
    for (const status of STATUSES) {
      const count = bucket.statuses[status]
      if (count !== undefined) statuses[status] = (statuses[status] ?? 0) + count
    }
  }
  const messages = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const latencies = buckets.flatMap(({ acceptToHandoff }) => acceptToHandoff?.p95 ?? [])
  return {
    seconds: RECENT / 1000,
    messages_per_second: Math.round((messages / RECENT) * 1_000_000) / 1000,
    statuses,
    accept_to_handoff_p95_ms: latencies.length === 0 ? null : Math.max(...latencies),
  }
}

export const RecentRates = namedObject(
  'RecentResults',
  {
    seconds: Type.Integer({ description: 'The length of the period.', examples: [300] }),
    messages_per_second: Type.Number({ examples: [0.14] }),
    statuses: Type.Partial(Type.Record(Enums.MessageStatus(), Type.Integer()), {
      title: 'StatusCounts',
      examples: [{ delivered: 41, failed: 1 }],
    }),
    accept_to_handoff_p95_ms: nullable(Type.Integer({ examples: [180] })),
  },
  { description: 'Its results for your recent messages; null while the index is unreachable.' },
)
