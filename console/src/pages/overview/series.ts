/** Turns the gateway's buckets into chart series: one value per step, null where there is none. */
import { TEXTS } from '../../texts.ts'
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

type Pair = Readonly<{ name: string; buckets: readonly Bucket[] }>

/** The busiest channel and provider pairs. Percentiles of several pairs cannot be merged. */
export function pairsOf({ buckets }: Stats, most: number): readonly Pair[] {
  const pairs = Map.groupBy(
    buckets.filter(({ provider }) => provider !== null),
    ({ channel, provider }) => `${TEXTS.common.channels[channel]} · ${provider}`,
  )
  return [...pairs]
    .map(([name, own]) => ({ name, buckets: own, messages: addUp(own).messages }))
    .sort((one, other) => other.messages - one.messages)
    .slice(0, most)
}

export type Leg = 'accept_to_handoff' | 'handoff_to_delivery'

/** The latencies measured in each step. */
export function latenciesOf(stats: Stats, pair: Pair, leg: Leg): readonly (Latency | null)[] {
  const byStart = new Map(pair.buckets.map((bucket) => [startOf(bucket), bucket[leg]]))
  return stepsOf(stats).map((start) => byStart.get(start) ?? null)
}

/** The index of the highest value. */
export function peakOf(values: readonly (number | null)[]): number | undefined {
  const places = values.flatMap((value, place) => (value === null ? [] : [place]))
  return places.reduce<number | undefined>(
    (best, place) => (best === undefined || (values[place] ?? 0) > (values[best] ?? 0) ? place : best),
    undefined,
  )
}

/** The indexes of values without neighbours, which no line connects. */
export const lonePlaces = (values: ArrayLike<number | null | undefined>): readonly number[] =>
  Array.from(values, (_, place) => place).filter(
    (place) => isThere(values[place]) && !isThere(values[place - 1]) && !isThere(values[place + 1]),
  )

const isThere = (value: number | null | undefined): boolean => value !== null && value !== undefined
