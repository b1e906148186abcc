/**
 * What to do about an attempt whose outcome is unknown: wait for evidence (a receipt, a look-up), then act by policy,
 * and fail in the end, so that every message ends.
 *
 * | lane                | waits | then                                                               |
 * |---------------------|-------|--------------------------------------------------------------------|
 * | otp                 | 5 s   | fails over: two codes are better than none                         |
 * | transactional, bulk | 5 s   | holds: a duplicate does more harm than a delay                     |
 */

import { type Instant, instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { Lane } from '../message/message.ts'
import type { MessageState } from '../message/state.ts'
import type { Route } from './routing.ts'

/**
 * `resend` sends again through any provider, `failover` through the next one, or the same one if there is no other.
 * `hold` sends nothing: a receipt, a look-up or a person decides.
 */
export const UNKNOWN_POLICIES = ['resend', 'failover', 'hold'] as const
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number]

export type UnknownRule = Readonly<{
  /** How long to wait for evidence before the policy applies. */
  wait: Millis
  policy: UnknownPolicy
  /** How long after the attempt a held message fails with `OUTCOME_UNKNOWN`. */
  giveUp: Millis
}>

const WAIT = seconds(5)
const GIVE_UP = seconds(72 * 60 * 60)

const UNKNOWN: Readonly<Record<Lane, UnknownRule>> = {
  otp: { wait: WAIT, policy: 'failover', giveUp: GIVE_UP },
  transactional: { wait: WAIT, policy: 'hold', giveUp: GIVE_UP },
  bulk: { wait: WAIT, policy: 'hold', giveUp: GIVE_UP },
}

/** The rule for messages of a lane that take this route. */
export const unknownRuleOf = (route: Pick<Route, 'unknown'> | undefined, lane: Lane): UnknownRule => ({
  ...UNKNOWN[lane],
  ...route?.unknown,
})

/** The latest time at which a message with an unknown outcome fails. */
export const giveUpAt = ({ attemptedAt, updatedAt, expiresAt }: MessageState, { giveUp }: UnknownRule): Instant =>
  instant(Math.min(later(attemptedAt ?? updatedAt, giveUp), expiresAt ?? Number.POSITIVE_INFINITY))

/** When the wait for evidence is over. */
export const reconcileAt = (state: MessageState, rule: UnknownRule, now: Instant): Instant =>
  instant(Math.min(later(now, rule.wait), giveUpAt(state, rule)))

export const OUTCOME_UNKNOWN = {
  code: 'OUTCOME_UNKNOWN',
  detail: 'there is no evidence whether the provider has the message',
} as const
