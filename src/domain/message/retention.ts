/**
 * How long messages are kept. A message is deleted once it was created longer ago than its retention and is over, so
 * never while a worker, a provider or the poller may still change it.
 */

import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import { MOST_GIVE_UP_SECONDS } from '../routing/route-fields.ts'
import { CHANNELS, type Channel } from './message.ts'
import { silentSince, stalledSince } from './overdue.ts'
import { isSilentTooLong, SILENCE_LIMIT } from './polling.ts'
import type { MessageState } from './state.ts'

/** Applies to a tenant, a channel or both. 0 days means forever. */
export type RetentionRule = Readonly<{ tenantId?: TenantId; channel?: Channel; days: number }>

/** Without `days`, messages to which no rule applies are kept forever. */
export type RetentionPolicy = Readonly<{ days?: number; rules: readonly RetentionRule[] }>

/** An idempotency key finds its message for 48 hours. */
export const MIN_RETENTION_DAYS = 3
export const MAX_RETENTION_DAYS = 36_500

const DAY = seconds(24 * 60 * 60)
/** After its last change a message is kept for at least this long, so that its last webhooks are delivered. */
export const SETTLED_AFTER = seconds(60 * 60)
/** The poller has long recorded `timed_out` by then, if there is one. */
export const POLLED_FOR = millis(SILENCE_LIMIT + DAY)

/** How long messages of a tenant and channel are kept; undefined means forever. The most specific rule applies. */
export function retentionOf(policy: RetentionPolicy, tenantId: TenantId, channel: Channel): Millis | undefined {
  const find = (tenant: TenantId | undefined, of: Channel | undefined): RetentionRule | undefined =>
    policy.rules.find((rule) => rule.tenantId === tenant && rule.channel === of)
  const rule = find(tenantId, channel) ?? find(tenantId, undefined) ?? find(undefined, channel)
  const days = rule === undefined ? (policy.days ?? 0) : rule.days
  return days === 0 ? undefined : millis(days * DAY)
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
  const tenants = new Set([ANY_OTHER, ...policy.rules.flatMap(({ tenantId }) => tenantId ?? [])])
  return [...tenants].flatMap((tenantId) => CHANNELS.map((channel) => retentionOf(policy, tenantId, channel)))
}

/**
 * How much longer than any message the log keeps events. A message that was sent again just before it would have been
 * deleted may wait that long for its end, and needs its content meanwhile.
 */
export const LOG_MARGIN: Millis = millis(seconds(MOST_GIVE_UP_SECONDS) + POLLED_FOR + DAY)
