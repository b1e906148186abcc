/**
 * Statistics from kept counts: how many messages of a kind were created in a minute, an hour or a day, and how many of
 * them took how many milliseconds. A period consists of the largest of these spans that fit into it; only messages of the
 * minutes at both of its ends are read.
 */
import type { Status } from '../../domain/message/states.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, type Millis, millis } from '../../lib/time.ts'
import type { Latency, StatsBucket, Total } from '../../ports/message-index.ts'

/** Each is a multiple of the one before. */
export const SPANS = [millis(60_000), millis(3_600_000), millis(86_400_000)] as const

/** Its messages are read. */
export const NO_SPAN = 1

/** A period, and the largest span that it consists of. */
export type Part = Readonly<{ from: number; to: number; span: number }>

/** Before and after any message. */
export const START_OF_TIME = -(2 ** 52)
export const END_OF_TIME = 2 ** 52

/** The parts of a period. No span is larger than a bucket may have: a bucket of 90 minutes consists of minutes. */
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

/** How many messages took how many milliseconds; fewer than none in a change. */
export type Histogram = Map<number, number>

/** Messages of one kind that were created within one span. */
export type Counted = Readonly<{
  channel: StatsBucket['channel']
  provider: string | null
  status: Status
  start: number
  count: number
  handoffs: Histogram
  deliveries: Histogram
}>

type Tally = Readonly<{
  bucket: Pick<StatsBucket, 'start' | 'channel' | 'provider'>
  statuses: Partial<Record<Status, number>>
  handoffs: Histogram
  deliveries: Histogram
}>

/** By time, channel and provider, oldest first. */
export function toStatsBuckets(counted: Iterable<Counted>, bucket: Millis): readonly StatsBucket[] {
  const tallies = new Map<string, Tally>()
  for (const { channel, provider, status, start, count, handoffs, deliveries } of counted) {
    const slot = Math.floor(start / bucket)
    const name = `${slot} ${channel} ${provider}`
    const tally = tallies.get(name) ?? emptyTally(slot * bucket, channel, provider)
    tallies.set(name, tally)
    tally.statuses[status] = (tally.statuses[status] ?? 0) + count
    addAll(tally.handoffs, handoffs)
    addAll(tally.deliveries, deliveries)
  }
  const buckets = [...tallies.values()].map(toBucket).filter(({ statuses }) => Object.keys(statuses).length > 0)
  return buckets.toSorted((one, other) => one.start - other.start)
}

const emptyTally = (start: number, channel: StatsBucket['channel'], provider: string | null): Tally => ({
  bucket: { start: instant(start), channel, ...(provider === null ? {} : { provider }) },
  statuses: {},
  handoffs: new Map(),
  deliveries: new Map(),
})

export function addAll(histogram: Histogram, more: Histogram): void {
  for (const [latency, count] of more) histogram.set(latency, (histogram.get(latency) ?? 0) + count)
}

function toBucket({ bucket, statuses, handoffs, deliveries }: Tally): StatsBucket {
  const [handoff, delivery] = [toLatency(handoffs), toLatency(deliveries)]
  const present = Object.fromEntries(Object.entries(statuses).filter(([, count]) => count !== 0))
  return omitUndefined({ ...bucket, statuses: present, acceptToHandoff: handoff, handoffToDelivery: delivery })
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

/** As many matching messages are counted one by one. */
export const COUNTED_AT_MOST = 1_000

/** `counted` is more than that if there are more. */
export const toTotal = (counted: number): Total =>
  counted > COUNTED_AT_MOST ? { value: COUNTED_AT_MOST, relation: 'gte' } : { value: counted, relation: 'eq' }
