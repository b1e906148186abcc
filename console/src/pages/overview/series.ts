/** Turns the gateway's buckets into chart series: one value per step, null where there is none. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { STAGES, type Stage, type Tally, tally } from '../providers/tally.ts'
import type { Bucket, Latency, Stats } from './data.ts'

/** The start time of each step, in seconds. */
export function stepsOf({ from, to, bucket }: Stats): readonly number[] {
  const [start, end] = [Date.parse(from) / 1000, Date.parse(to) / 1000]
  return Array.from({ length: Math.max(0, Math.round((end - start) / bucket)) }, (_, place) => start + place * bucket)
}

const startOf = (bucket: Bucket): number => Date.parse(bucket.start) / 1000

export function addUp(buckets: readonly Bucket[]): Tally {
  const added: Record<string, number> = {}
  for (const { statuses } of buckets) {
    for (const [status, count] of Object.entries(statuses)) added[status] = (added[status] ?? 0) + count
  }
  return tally(added)
}

export function talliesOf(stats: Stats): readonly Tally[] {
  const byStart = Map.groupBy(stats.buckets, startOf)
  return stepsOf(stats).map((start) => addUp(byStart.get(start) ?? []))
}

export const stagesSeen = (counted: Tally): readonly Stage[] => STAGES.filter((stage) => counted[stage] > 0)

export type Pair = Readonly<{ name: string; buckets: readonly Bucket[] }>

/** Pairs of channel and provider, the busiest first. Percentiles of several pairs cannot be merged. */
export function pairsOf({ buckets }: Stats): readonly Pair[] {
  const pairs = Map.groupBy(
    buckets.filter(({ provider }) => provider !== null),
    ({ channel, provider }) => `${COMMON_TEXTS.channels[channel]} · ${provider}`,
  )
  return [...pairs]
    .map(([name, own]) => ({ name, buckets: own, messages: addUp(own).messages }))
    .sort((one, other) => other.messages - one.messages)
}

/** The period before in the same steps; null where it has not come to yet. */
export function talliesBefore(before: Stats, now: Stats): readonly (Tally | null)[] {
  const byStep = Map.groupBy(before.buckets, (bucket) =>
    Math.floor((startOf(bucket) - Date.parse(before.from) / 1000) / before.bucket),
  )
  const ended = (Date.parse(before.to) - Date.parse(before.from)) / 1000 / before.bucket
  return stepsOf(now).map((_, place) => (place >= ended ? null : addUp(byStep.get(place) ?? [])))
}

export type Leg = 'accept_to_handoff' | 'handoff_to_delivery'

/** The latencies measured in each step. */
export function latenciesOf(stats: Stats, pair: Pair, leg: Leg): readonly (Latency | null)[] {
  const byStart = new Map(pair.buckets.map((bucket) => [startOf(bucket), bucket[leg]]))
  return stepsOf(stats).map((start) => byStart.get(start) ?? null)
}
