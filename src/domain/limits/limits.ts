/**
 * Rate limits. A tally is a list of time slices with counts: a fixed window is one slice, a sliding window is sixty
 * aligned slices. The first fixed window starts when the limit is set, each other one with the first send after the
 * last. Every engine decides as `waitOf` and `counted` do; a test compares them.
 */

import { type Instant, instant, later, type Millis, millis } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'

export const LIMIT_SCOPES = ['tenant', 'account', 'recipient', 'user'] as const
export const ALGORITHMS = ['fixed', 'sliding'] as const
export type LimitScope = (typeof LIMIT_SCOPES)[number]

/** Who has set a limit. One subject may have a limit of each, and then both count. */
export const LIMIT_OWNERS = ['operator', 'tenant'] as const
export type LimitOwner = (typeof LIMIT_OWNERS)[number]

/** At most `limit` sends per `window`. */
export type Rule = Readonly<{ limit: number; window: Millis; algorithm: (typeof ALGORITHMS)[number] }>

/** Whether the rule is nowhere below the other: as many at once and over time, and more of one of them. */
export function raises(rule: Rule, other: Rule): boolean {
  const [rate, otherRate] = [rule.limit / rule.window, other.limit / other.window]
  const isMore = rule.limit > other.limit || rate > otherRate
  return isMore && rule.limit >= other.limit && rate >= otherRate
}

/** The key of a default rule, for every subject of the scope without a rule of its own. */
export const EACH = '*'

/** Whether it is the limit of a single user. There may be millions of those, so they stay in the store. */
export const isOfOneUser = ({ scope, key }: Pick<LimitKey, 'scope' | 'key'>): boolean =>
  scope === 'user' && key !== EACH

/**
 * The subject of a limit. The key of a recipient is a keyed hash. The scope `otp` is internal: the codes generated for
 * a recipient.
 */
export type LimitKey = Readonly<{ tenantId: TenantId; scope: LimitScope | 'otp'; key: string }>

/**
 * A subject and its rule. A changed rule gets a new version and thus a new counter, which resets the count. `setAt` is
 * when that version was set, where known: nothing was counted under it before. A limit from the settings has no `setBy`.
 */
export type Counter = LimitKey & Readonly<{ rule: Rule; version: number; setAt?: Instant; setBy?: LimitOwner }>

/** Identifies a counter. */
export const nameOf = ({ tenantId, scope, key, version }: Counter): string => `${tenantId}:${scope}:${key}:${version}`

/** Oldest first, without empty slices. */
export type Tally = readonly Slice[]
export type Slice = readonly [start: Instant, count: number]
export const NOTHING: Tally = []

/** `resetsIn` is the time until the count drops; 0 when nothing is counted. */
export type LimitStatus = Readonly<{ counter: Counter; used: number; resetsIn: Millis }>

const SLICES = 60

const widthOf = ({ window, algorithm }: Rule): Millis =>
  algorithm === 'fixed' ? millis(0) : millis(Math.ceil(window / SLICES))

/** A slice counts until its last moment has left the window, so no window ever exceeds the limit. */
const endOf = (rule: Rule, [start]: Slice): Instant => later(later(start, widthOf(rule)), rule.window)

/** The slices that still count. Returns the same array if all do, because this runs for every message. */
export function current(rule: Rule, tally: Tally, at: Instant): Tally {
  const isLive = (slice: Slice): boolean => endOf(rule, slice) > at
  return tally.every(isLive) ? tally : tally.filter(isLive)
}

export const usedOf = (tally: Tally): number => tally.reduce((sum, [, count]) => sum + count, 0)

/** How long until another send is admitted; 0 if it is now. */
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

/** A rule, and when its first window started, where known. */
type Windows = Pick<Counter, 'rule' | 'setAt'>

/** The slice for a send at this moment. */
export function startOf({ rule, setAt }: Windows, tally: Tally, at: Instant): Instant {
  if (rule.algorithm === 'fixed') {
    const [window] = current(rule, tally, at)
    if (window !== undefined) return window[0]
    return setAt !== undefined && later(setAt, rule.window) > at ? setAt : at
  }
  const width = widthOf(rule)
  return instant(Math.floor(at / width) * width)
}

/** The tally with one more send at this moment. */
export const counted = (windows: Windows, tally: Tally, at: Instant): Tally =>
  add(current(windows.rule, tally, at), startOf(windows, tally, at), 1)

/** The tally without one send of this slice; unchanged when the slice has expired. */
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

/** When all of it has expired; undefined when it is empty. */
export function endsAt(rule: Rule, tally: Tally): Instant | undefined {
  const last = tally.at(-1)
  return last === undefined ? undefined : endOf(rule, last)
}

export function toLimitStatus(counter: Counter, tally: Tally, at: Instant): LimitStatus {
  const live = current(counter.rule, tally, at)
  const [oldest] = live
  return {
    counter,
    used: usedOf(live),
    resetsIn: oldest === undefined ? millis(0) : millis(endOf(counter.rule, oldest) - at),
  }
}

/** How long until all of these admit one more; 0 if they do now. */
export const waitOfAll = (tallies: readonly Readonly<{ counter: Counter; tally: Tally }>[], at: Instant): Millis =>
  millis(Math.max(0, ...tallies.map(({ counter, tally }) => waitOf(counter.rule, tally, at))))
