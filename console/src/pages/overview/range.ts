/** How far back the overview looks, and in what steps. */
export const RANGES = ['15m', '1h', '24h', '7d'] as const
export type Range = (typeof RANGES)[number]

const MINUTE = 60
const HOUR = 60 * MINUTE

/** In seconds, but for `refreshMs`: the longer the time, the dearer the figures and the less a second changes them. */
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

/** Whole steps of the clock, of which the last has only begun: so the bars stay where they are as time goes by. */
export function windowOf(range: Range, nowMs: number): Window {
  const { length, bucket } = SIZES[range]
  const to = Math.ceil(nowMs / 1000 / bucket) * bucket
  return { from: toIso(to - length), to: toIso(to), bucket }
}

/** The time just before it, up to as far into its last step as we are now: the two can be compared. */
export function windowBefore(range: Range, nowMs: number): Window {
  const { length, bucket } = SIZES[range]
  const to = Math.ceil(nowMs / 1000 / bucket) * bucket
  return { from: toIso(to - 2 * length), to: toIso(nowMs / 1000 - length), bucket: length }
}
