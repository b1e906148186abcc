/**
 * How long messages are kept. A message is deleted once it was created longer ago than its retention and is over, so
 * never while a worker, a provider or the poller may still change it.
 */

import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import { liveTenantOf } from '../access/test-mode.ts'
import type { TenantId } from '../ids.ts'
import { MOST_GIVE_UP_SECONDS } from '../routing/route-fields.ts'
import { CHANNELS, type Channel } from './message.ts'
import { silentSince, stalledSince } from './overdue.ts'
import { isSilentTooLong, SILENCE_LIMIT } from './polling.ts'
import type { MessageState } from './state.ts'

/** Applies to a tenant, a channel or both. 0 days means forever. */
export type RetentionRule = Readonly<{ tenantId?: TenantId; channel?: Channel; days: number }>

/**
 * Without `days`, messages to which no rule applies are kept forever. `mostDays` are the tenants that have a retention of
 * their own: it only shortens what the rules say.
 */
export type RetentionPolicy = Readonly<{
  days?: number
  rules: readonly RetentionRule[]
  mostDays?: ReadonlyMap<TenantId, number>
}>

/** An idempotency key finds its message for 48 hours. */
export const MIN_RETENTION_DAYS = 3
export const MAX_RETENTION_DAYS = 36_500

const DAY = seconds(24 * 60 * 60)
/** After its last change a message is kept for at least this long, so that its last webhooks are delivered. */
export const SETTLED_AFTER = seconds(60 * 60)
/** The poller has long recorded `timed_out` by then, if there is one. */
export const POLLED_FOR = millis(SILENCE_LIMIT + DAY)

/** How long messages of a tenant and channel are kept; undefined means forever. Those of a test tenant like live ones. */
export function retentionOf(policy: RetentionPolicy, tenantId: TenantId, channel: Channel): Millis | undefined {
  const live = liveTenantOf(tenantId)
  const days = Math.min(daysByRules(policy, live, channel), policy.mostDays?.get(live) ?? FOREVER)
  return days === FOREVER ? undefined : millis(days * DAY)
}

const FOREVER = Number.POSITIVE_INFINITY

/** The most specific rule applies. */
function daysByRules({ days, rules }: RetentionPolicy, tenantId: TenantId, channel: Channel): number {
  const find = (tenant: TenantId | undefined, of: Channel | undefined): RetentionRule | undefined =>
    rules.find((rule) => rule.tenantId === tenant && rule.channel === of)
  const rule = find(tenantId, channel) ?? find(tenantId, undefined) ?? find(undefined, channel)
  return (rule === undefined ? days : rule.days) || FOREVER
}

/** The longest that messages of a tenant are kept by the rules of the installation; undefined if some are forever. */
export function mostDaysOf(policy: RetentionPolicy, tenantId: TenantId): number | undefined {
  const longest = Math.max(...CHANNELS.map((channel) => daysByRules(policy, tenantId, channel)))
  return longest === FOREVER ? undefined : longest
}

/** Nothing more is expected to happen to it, and nothing has for a while. */
export function isOver(state: MessageState, now: Instant): boolean {
  const silent = silentSince(state)
  const isSilent = silent !== undefined && !isSilentTooLong(silent, now, POLLED_FOR)
  return stalledSince(state) === undefined && !isSilent && later(state.updatedAt, SETTLED_AFTER) <= now
}

/** Whether a message is no longer kept. */
export function isPrunable(policy: RetentionPolicy, state: MessageState, now: Instant): boolean {
  const kept = retentionOf(policy, state.tenantId, state.channel)
  return kept !== undefined && later(state.createdAt, kept) < now && isOver(state, now)
}

/** Whether any message is ever deleted. */
export const isBounded = (policy: RetentionPolicy): boolean => toRetentions(policy).some((kept) => kept !== undefined)

/** How long the message that is kept longest is kept; undefined if some are kept forever. */
export function longestRetention(policy: RetentionPolicy): Millis | undefined {
  const bounded = toRetentions(policy).filter((kept) => kept !== undefined)
  return bounded.length < toRetentions(policy).length ? undefined : millis(Math.max(...bounded))
}

/** A tenant without rules of its own: no tenant has this name. */
const ANY_OTHER = '' as TenantId

const toRetentions = (policy: RetentionPolicy): readonly (Millis | undefined)[] => {
  const ofRules = policy.rules.flatMap(({ tenantId }) => tenantId ?? [])
  const tenants = new Set([ANY_OTHER, ...ofRules, ...(policy.mostDays?.keys() ?? [])])
  return [...tenants].flatMap((tenantId) => CHANNELS.map((channel) => retentionOf(policy, tenantId, channel)))
}

/**
 * How much longer than any message the log keeps events. A message that was sent again just before it would have been
 * deleted may wait that long for its end, and needs its content meanwhile.
 */
export const LOG_MARGIN: Millis = millis(seconds(MOST_GIVE_UP_SECONDS) + POLLED_FOR + DAY)
