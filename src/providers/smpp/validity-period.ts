/** A deadline as SMPP writes it: so long from now, by the SMSC's own clock, which may be another than ours. */
import type { Instant } from '../../lib/time.ts'

const SECONDS_A_DAY = 24 * 60 * 60
/** All that two digits hold. Months differ in length, so none are written. */
const MOST = 99 * SECONDS_A_DAY

/** `YYMMDDhhmmss000R`; undefined when the deadline is over. What is left of a second counts as one. */
export function toValidity(from: Instant, until: Instant): string | undefined {
  if (until <= from) return undefined
  const left = Math.min(MOST, Math.max(1, Math.floor((until - from) / 1000)))
  const [days, hours, minutes] = [left / SECONDS_A_DAY, (left / 3600) % 24, (left / 60) % 60]
  return `0000${[days, hours, minutes, left % 60].map(twoDigits).join('')}000R`
}

const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0')
