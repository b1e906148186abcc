import type { Brand } from './brand.ts'

/** A duration in milliseconds. */
export type Millis = Brand<number, 'Millis'>

/** A point in time: milliseconds since the epoch, as in `Date.now()`. */
export type Instant = Brand<number, 'Instant'>

export const millis = (value: number): Millis => Math.round(value) as Millis
export const seconds = (value: number): Millis => millis(value * 1000)
export const instant = (value: number): Instant => value as Instant
export const later = (start: Instant, by: Millis): Instant => (start + by) as Instant
export const toIso = (at: Instant): string => new Date(at).toISOString()

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** Parses an RFC 3339 time; undefined when invalid. */
export function parseInstant(text: string): Instant | undefined {
  const at = RFC3339.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : instant(at)
}

/** `Date.parse` turns February 30 into March 2. */
function isDay(day: string): boolean {
  const at = Date.parse(day)
  return !Number.isNaN(at) && toIso(instant(at)).startsWith(day)
}
