/** From the buckets of the gateway to what charts draw: one value per step of time, none where there is none. */
import { TEXTS } from '../../texts.ts'
import { STAGES, type Stage, type Tally, tally } from '../providers/tally.ts'
import type { Bucket, Latency, Stats } from './data.ts'

/** The steps of time: seconds of their beginning. */
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

/** A tally for each step. */
export function talliesOf(stats: Stats): readonly Tally[] {
  const byStart = Map.groupBy(stats.buckets, startOf)
  return stepsOf(stats).map((start) => addUp(byStart.get(start) ?? []))
}

export const stagesSeen = (counted: Tally): readonly Stage[] => STAGES.filter((stage) => counted[stage] > 0)

type Pair = Readonly<{ name: string; buckets: readonly Bucket[] }>

/** Channels with their providers, the busiest first: percentiles of several cannot be made into one. */
export function pairsOf({ buckets }: Stats, most: number): readonly Pair[] {
  const pairs = Map.groupBy(
    buckets.filter(({ provider }) => provider !== null),
    ({ channel, provider }) => `${TEXTS.overview.channels[channel]} · ${provider}`,
  )
  return [...pairs]
    .map(([name, own]) => ({ name, buckets: own, messages: addUp(own).messages }))
    .sort((one, other) => other.messages - one.messages)
    .slice(0, most)
}

export type Leg = 'accept_to_handoff' | 'handoff_to_delivery'

/** What was measured in each step. */
export function latenciesOf(stats: Stats, pair: Pair, leg: Leg): readonly (Latency | null)[] {
  const byStart = new Map(pair.buckets.map((bucket) => [startOf(bucket), bucket[leg]]))
  return stepsOf(stats).map((start) => byStart.get(start) ?? null)
}

/** Where the highest value is. */
export function peakOf(values: readonly (number | null)[]): number | undefined {
  const places = values.flatMap((value, place) => (value === null ? [] : [place]))
  return places.reduce<number | undefined>(
    (best, place) => (best === undefined || (values[place] ?? 0) > (values[best] ?? 0) ? place : best),
    undefined,
  )
}

/** Where a value has none beside it, so that no line leads there. */
export const lonePlaces = (values: ArrayLike<number | null | undefined>): readonly number[] =>
  Array.from(values, (_, place) => place).filter(
    (place) => isThere(values[place]) && !isThere(values[place - 1]) && !isThere(values[place + 1]),
  )

const isThere = (value: number | null | undefined): boolean => value !== null && value !== undefined
