/**
 * How long sign-in is refused after failures. The first failures are free, since people mistype; then each doubles the
 * wait. The wait is bounded, so that nobody can lock somebody else out for long.
 */
import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'

export type Failures = Readonly<{ count: number; lastAt: Instant }>

/** `free` failures cost nothing, and the wait is at most `longest`. */
export type DelayPolicy = Readonly<{ free: number; longest: Millis }>

export const OF_ADDRESS: DelayPolicy = { free: 4, longest: seconds(60) }
/** People of one office share an address. */
export const OF_CLIENT: DelayPolicy = { free: 19, longest: seconds(300) }

/** Failures that are older have no effect. */
export const FORGOTTEN_AFTER = seconds(3_600)

const FIRST_MS = 1_000

/** The failures that still count. */
export const remembered = (failures: Failures | undefined, now: Instant): Failures | undefined =>
  failures !== undefined && now < later(failures.lastAt, FORGOTTEN_AFTER) ? failures : undefined

/** How long to wait from now on; 0 when the next attempt is admitted. */
export function delayOf({ count, lastAt }: Failures, { free, longest }: DelayPolicy, now: Instant): Millis {
  if (count <= free) return millis(0)
  const wait = Math.min(FIRST_MS * 2 ** (count - free - 1), longest)
  return millis(Math.max(0, lastAt + wait - now))
}
