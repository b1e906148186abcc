/** Statistics over messages: counts and latencies by creation time bucket, channel and provider. */

import type { MessageState } from '../../src/domain/message/state.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { instant, type Millis, millis } from '../../src/lib/time.ts'
import type { ErrorCount, ErrorQuery, Latency, StatsBucket, StatsQuery } from '../../src/ports/message-index.ts'

export function toStats(states: readonly MessageState[], query: StatsQuery): readonly StatsBucket[] {
  const { tenantId, from, to, bucket } = query
  const counted = states.filter((s) => s.tenantId === tenantId && s.createdAt >= from && s.createdAt < to)
  const startOf = ({ createdAt }: MessageState): number => createdAt - (createdAt % bucket)
  const groups = Map.groupBy(counted, (state) => `${startOf(state)} ${state.channel} ${state.provider ?? ''}`)
  return [...groups.values()].flatMap((group) => toBucket(group, startOf)).toSorted((a, b) => a.start - b.start)
}

function toBucket(group: readonly MessageState[], startOf: (state: MessageState) => number): StatsBucket[] {
  const [first] = group
  if (first === undefined) return []
  const handoff = toLatency(group.map(({ createdAt, handedOffAt }) => between(createdAt, handedOffAt)))
  const delivery = toLatency(
    group.filter((s) => s.providerState === 'delivered').map((s) => between(s.handedOffAt, s.endedAt)),
  )
  return [
    omitUndefined({
      start: instant(startOf(first)),
      channel: first.channel,
      provider: first.provider,
      statuses: countBy(group, toStatus),
      acceptToHandoff: handoff,
      handoffToDelivery: delivery,
    }),
  ]
}

/** A receipt may overtake the provider's answer: then the latency is zero. */
const between = (start: number | undefined, end: number | undefined): Millis | undefined =>
  start === undefined || end === undefined ? undefined : millis(Math.max(0, end - start))

function toLatency(times: readonly (Millis | undefined)[]): Latency | undefined {
  const sorted = times.filter((time) => time !== undefined).toSorted((a, b) => a - b)
  const rank = (share: number): Millis => sorted[Math.ceil(sorted.length * share) - 1] ?? millis(0)
  return sorted.length === 0 ? undefined : { count: sorted.length, p50: rank(0.5), p95: rank(0.95), max: rank(1) }
}

export function toErrorCounts(states: readonly MessageState[], query: ErrorQuery): readonly ErrorCount[] {
  const { tenantId, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, dead, limit } = query
  const failed = states
    .filter((state) => state.tenantId === tenantId && state.createdAt >= from && state.createdAt < to)
    .filter((state) => dead === undefined || dead === state.dead)
    .flatMap(({ errorCode: code, ...state }) => (code === undefined ? [] : [{ ...state, code }]))
  const groups = Map.groupBy(failed, ({ channel, provider = '', code }) => `${channel} ${provider} ${code}`)
  return [...groups.values()]
    .flatMap((group): ErrorCount[] => {
      const newestAt = instant(Math.max(...group.map(({ createdAt }) => createdAt)))
      return group
        .slice(0, 1)
        .map(({ channel, provider, code }) => omitUndefined({ channel, provider, code, count: group.length, newestAt }))
    })
    .toSorted((one, other) => other.count - one.count || other.newestAt - one.newestAt)
    .slice(0, limit)
}

function countBy<Key extends string>(
  states: readonly MessageState[],
  keyOf: (state: MessageState) => Key,
): Partial<Record<Key, number>> {
  const counts: Partial<Record<Key, number>> = {}
  for (const state of states) counts[keyOf(state)] = (counts[keyOf(state)] ?? 0) + 1
  return counts
}
