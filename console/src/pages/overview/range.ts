/** The time ranges of the overview and their step sizes. */
export const RANGES = ['15m', '1h', '24h', '7d'] as const
export type Range = (typeof RANGES)[number]

const MINUTE = 60
const HOUR = 60 * MINUTE

/** In seconds, except `refreshMs`. Longer ranges cost more to compute and change less. */
const SIZES: Readonly<Record<Range, Readonly<{ length: number; bucket: number; refreshMs: number }>>> = {
  '15m': { length: 15 * MINUTE, bucket: 15, refreshMs: 2_000 },
  '1h': { length: HOUR, bucket: MINUTE, refreshMs: 2_000 },
  '24h': { length: 24 * HOUR, bucket: 30 * MINUTE, refreshMs: 10_000 },
  '7d': { length: 7 * 24 * HOUR, bucket: 3 * HOUR, refreshMs: 30_000 },
}

export const toRange = (text: string | undefined): Range => RANGES.find((range) => range === text) ?? '1h'

export const refreshMsOf = (range: Range): number => SIZES[range].refreshMs

export type Window = Readonly<{ from: string; to: string; bucket: number }>

const toIso = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** Aligned to whole steps, including the current one, so that bars do not shift as time passes. */
export function windowOf(range: Range, nowMs: number): Window {
  const { length, bucket } = SIZES[range]
  const to = Math.ceil(nowMs / 1000 / bucket) * bucket
  return { from: toIso(to - length), to: toIso(to), bucket }
}

/** The preceding window, cut at the same offset as now, so that the two are comparable. */
export function windowBefore(range: Range, nowMs: number): Window {
  const { length, bucket } = SIZES[range]
  const to = Math.ceil(nowMs / 1000 / bucket) * bucket
  return { from: toIso(to - 2 * length), to: toIso(nowMs / 1000 - length), bucket: length }
}
