/** The time ranges of the overview and their step sizes. */
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** In seconds, except `refreshMs`. Longer ranges cost more to compute and change less. */
const SIZES = {
  '10m': { length: 10 * MINUTE, bucket: 10, refreshMs: 2_000 },
  '15m': { length: 15 * MINUTE, bucket: 15, refreshMs: 2_000 },
  '30m': { length: 30 * MINUTE, bucket: 30, refreshMs: 2_000 },
  '1h': { length: HOUR, bucket: MINUTE, refreshMs: 2_000 },
  '3h': { length: 3 * HOUR, bucket: 5 * MINUTE, refreshMs: 5_000 },
  '6h': { length: 6 * HOUR, bucket: 10 * MINUTE, refreshMs: 10_000 },
  '12h': { length: 12 * HOUR, bucket: 15 * MINUTE, refreshMs: 10_000 },
  '24h': { length: DAY, bucket: 30 * MINUTE, refreshMs: 10_000 },
  '7d': { length: 7 * DAY, bucket: 3 * HOUR, refreshMs: 30_000 },
} as const satisfies Readonly<Record<string, Readonly<{ length: number; bucket: number; refreshMs: number }>>>

export type Range = keyof typeof SIZES
export const RANGES = Object.keys(SIZES) as readonly Range[]

/** What a person can choose. `auto` is the range that the data fills. */
export const CHOICES = ['auto', '15m', '1h', '24h', '7d'] as const
export type RangeChoice = (typeof CHOICES)[number]

export const toChoice = (text: string | undefined): RangeChoice => CHOICES.find((choice) => choice === text) ?? 'auto'

/** The messages of the last week: when the oldest and the newest were created, as far as statistics tell. */
export type Extent = Readonly<{ oldestMs: number; newestMs: number }>

/** A day at most, unless there was nothing on it. */
export function autoRange({ oldestMs, newestMs }: Extent, nowMs: number): Range {
  if (nowMs - newestMs > DAY * 1000) return '7d'
  const age = (nowMs - oldestMs) / 1000
  return RANGES.find((range) => range !== '7d' && SIZES[range].length >= age) ?? '24h'
}

export const refreshMsOf = (range: Range): number => SIZES[range].refreshMs

export type Window = Readonly<{ from: string; to: string; bucket: number }>

const toIso = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** Aligned to whole steps, including the current one, so that bars do not shift as time passes. */
export function windowOf(range: Range, nowMs: number): Window {
  const { length, bucket } = SIZES[range]
  const to = Math.ceil(nowMs / 1000 / bucket) * bucket
  return { from: toIso(to - length), to: toIso(to), bucket }
}

/** The preceding window in the same steps, cut at the same offset as now, so that the two are comparable. */
export function windowBefore(range: Range, nowMs: number): Window {
  const { length, bucket } = SIZES[range]
  const to = Math.ceil(nowMs / 1000 / bucket) * bucket
  return { from: toIso(to - 2 * length), to: toIso(nowMs / 1000 - length), bucket }
}
