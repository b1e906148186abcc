/** How much of a tenant's messages each provider has carried lately, and how well; told by the index. */
import { type Static, Type } from 'typebox'
import type { TenantId } from '../../domain/ids.ts'
import { STATUSES } from '../../domain/message/states.ts'
import { type Instant, later, millis, seconds } from '../../lib/time.ts'
import type { MessageIndex, StatsBucket } from '../../ports/message-index.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { nullable } from '../http/schemas.ts'

const LATELY = seconds(300)

export type RecentRates = Static<typeof RecentRates>

/** Undefined while the index is away: what else there is to tell is told all the same. */
export async function recentRates(index: MessageIndex, tenantId: TenantId, now: Instant) {
  try {
    const buckets = await index.stats({ tenantId, from: later(now, millis(-LATELY)), to: now, bucket: LATELY })
    return (name: string): RecentRates => toRates(buckets.filter(({ provider }) => provider === name))
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

/** The time may lie in two buckets: what they count is added up, and of their latencies the longer is told. */
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
    seconds: LATELY / 1000,
    messages_per_second: Math.round((messages / LATELY) * 1_000_000) / 1000,
    statuses,
    accept_to_handoff_p95_ms: latencies.length === 0 ? null : Math.max(...latencies),
  }
}

export const RecentRates = Type.Object(
  {
    seconds: Type.Integer({ description: 'Messages of so many seconds are counted.', examples: [300] }),
    messages_per_second: Type.Number({ examples: [0.14] }),
    statuses: Type.Partial(Type.Record(Type.Enum(STATUSES), Type.Integer()), {
      examples: [{ delivered: 41, failed: 1 }],
    }),
    accept_to_handoff_p95_ms: nullable(Type.Integer({ examples: [180] })),
  },
  { description: 'What it has carried lately of your messages; null while the index is away.' },
)
