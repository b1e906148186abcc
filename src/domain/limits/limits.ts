/**
 * How many may be sent in which time. A tally is a few slices of time with a count each: a fixed window
 * is one slice that starts with the first send after the last one elapsed, a sliding window is cut into
 * sixty aligned ones. Every engine decides as `waitOf` and `counted` do; the script of Redis is held to
 * them by a test.
 */

import { type Instant, instant, later, type Millis, millis } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'

export const LIMIT_SCOPES = ['tenant', 'account', 'recipient', 'user'] as const
export const ALGORITHMS = ['fixed', 'sliding'] as const
export type LimitScope = (typeof LIMIT_SCOPES)[number]

/** At most `limit` in every `window`. */
export type Rule = Readonly<{ limit: number; window: Millis; algorithm: (typeof ALGORITHMS)[number] }>

/** The key of a rule for each one of its scope that has no rule of its own. */
export const EACH = '*'

/** Who a limit is for. The key of a recipient is a keyed hash. `otp` is ours: the codes generated for a recipient. */
export type LimitKey = Readonly<{ tenantId: TenantId; scope: LimitScope | 'otp'; key: string }>

/**
 * What is counted, and under which rule. A rule that is set again gets a new version and so a counter of
 * its own: that is how changing a limit resets its count. `setAt` is when that version was set, where it
 * is known: nothing was counted under it before.
 */
export type Counter = LimitKey & Readonly<{ rule: Rule; version: number; setAt?: Instant }>

/** What tells one counter from all others. */
export const nameOf = ({ tenantId, scope, key, version }: Counter): string => `${tenantId}:${scope}:${key}:${version}`

/** Oldest first; each slice has counted something. */
export type Tally = readonly Slice[]
export type Slice = readonly [start: Instant, count: number]
export const NOTHING: Tally = []

/** Where a counter stands. `resetsIn` is the time until it has counted less than now; 0 when it counts nothing. */
export type Standing = Readonly<{ counter: Counter; used: number; resetsIn: Millis }>

const SLICES = 60

const widthOf = ({ window, algorithm }: Rule): Millis =>
  algorithm === 'fixed' ? millis(0) : millis(Math.ceil(window / SLICES))

/** A slice counts until the last moment it stands for has left the window: so no window ever holds more than the limit. */
const endOf = (rule: Rule, [start]: Slice): Instant => later(later(start, widthOf(rule)), rule.window)

/** What still counts at a moment: the very same where all of it does, which is asked with every message. */
export function current(rule: Rule, tally: Tally, at: Instant): Tally {
  const isLive = (slice: Slice): boolean => endOf(rule, slice) > at
  return tally.every(isLive) ? tally : tally.filter(isLive)
}

export const usedOf = (tally: Tally): number => tally.reduce((sum, [, count]) => sum + count, 0)

/** How long until one more may be sent; 0 when it may be now. */
export function waitOf(rule: Rule, tally: Tally, at: Instant): Millis {
  const live = current(rule, tally, at)
  let excess = usedOf(live) - rule.limit + 1
  for (const slice of live) {
    if (excess <= 0) break
    excess -= slice[1]
    if (excess <= 0) return millis(endOf(rule, slice) - at)
  }
  return millis(0)
}

/** The slice that something sent at this moment is counted in. */
export function startOf(rule: Rule, tally: Tally, at: Instant): Instant {
  if (rule.algorithm === 'fixed') return current(rule, tally, at)[0]?.[0] ?? at
  const width = widthOf(rule)
  return instant(Math.floor(at / width) * width)
}

/** The tally with one more sent at this moment. */
export const counted = (rule: Rule, tally: Tally, at: Instant): Tally =>
  add(current(rule, tally, at), startOf(rule, tally, at), 1)

/** The tally without one that was counted in this slice; as it is where the slice no longer counts. */
export const uncounted = (tally: Tally, start: Instant): Tally =>
  tally.some(([its]) => its === start) ? add(tally, start, -1) : tally

function add(tally: Tally, start: Instant, by: number): Tally {
  const [only, another] = tally
  if (another === undefined && (only?.[0] ?? start) === start && (only?.[1] ?? 0) + by > 0) {
    return [[start, (only?.[1] ?? 0) + by]]
  }
  const before = tally.filter(([its]) => its < start)
  const after = tally.filter(([its]) => its > start)
  const count = (tally.find(([its]) => its === start)?.[1] ?? 0) + by
  return count > 0 ? [...before, [start, count], ...after] : [...before, ...after]
}

/** When the last of it has stopped counting; undefined when it counts nothing. */
export function endsAt(rule: Rule, tally: Tally): Instant | undefined {
  const last = tally.at(-1)
  return last === undefined ? undefined : endOf(rule, last)
}

export function toStanding(counter: Counter, tally: Tally, at: Instant): Standing {
  const live = current(counter.rule, tally, at)
  const [oldest] = live
  return {
    counter,
    used: usedOf(live),
    resetsIn: oldest === undefined ? millis(0) : millis(endOf(counter.rule, oldest) - at),
  }
}

/** Whether all of these may count one more, and for how long not. */
export const waitOfAll = (tallies: readonly Readonly<{ counter: Counter; tally: Tally }>[], at: Instant): Millis =>
  millis(Math.max(0, ...tallies.map(({ counter, tally }) => waitOf(counter.rule, tally, at))))
