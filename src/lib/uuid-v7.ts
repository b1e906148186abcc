import type { Instant } from './time.ts'

/** The lowest UUIDv7 of this time: that of anything earlier is lower. */
export function lowestUuidV7At(at: Instant): string {
  const digits = Math.max(0, at).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
