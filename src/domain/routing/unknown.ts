/**
 * What to do about an attempt whose outcome is unknown: wait for evidence (a receipt, a look-up), then act by policy,
 * and give up in the end, so that every message ends.
 *
 * | lane                | waits | then                                                              |
 * |---------------------|-------|-------------------------------------------------------------------|
 * | otp                 | 5 s   | fails over: for whoever waits for a code, two are better than none |
 * | transactional, bulk | 5 s   | holds: a message that arrives twice does more harm than a late one |
 */

import { type Instant, instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { Lane } from '../message/message.ts'
import type { MessageState } from '../message/state.ts'
import type { Route } from './routing.ts'

/**
 * `resend` sends it again by any provider, `failover` by the next one, or by the same one where there is no other.
 * `hold` sends nothing: a receipt, a look-up or a person decides.
 */
export const UNKNOWN_POLICIES = ['resend', 'failover', 'hold'] as const
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number]

export type UnknownRule = Readonly<{
  /** How long to wait for evidence before the policy applies. */
  wait: Millis
  policy: UnknownPolicy
  /** How long after the attempt a message that is held fails with `OUTCOME_UNKNOWN`. */
  giveUp: Millis
}>

const WAIT = seconds(5)
const GIVE_UP = seconds(72 * 60 * 60)

export const UNKNOWN: Readonly<Record<Lane, UnknownRule>> = {
  otp: { wait: WAIT, policy: 'failover', giveUp: GIVE_UP },
  transactional: { wait: WAIT, policy: 'hold', giveUp: GIVE_UP },
  bulk: { wait: WAIT, policy: 'hold', giveUp: GIVE_UP },
}

/** The rule for messages of a lane that take this route. */
export const unknownRuleOf = (route: Pick<Route, 'unknown'> | undefined, lane: Lane): UnknownRule => ({
  ...UNKNOWN[lane],
  ...route?.unknown,
})

/** When a message whose newest attempt is unknown fails at the latest. */
export const giveUpAt = ({ attemptedAt, updatedAt, expiresAt }: MessageState, { giveUp }: UnknownRule): Instant =>
  instant(Math.min(later(attemptedAt ?? updatedAt, giveUp), expiresAt ?? Number.POSITIVE_INFINITY))

/** When the wait for evidence is over. */
export const reconcileAt = (state: MessageState, rule: UnknownRule, now: Instant): Instant =>
  instant(Math.min(later(now, rule.wait), giveUpAt(state, rule)))

export const OUTCOME_UNKNOWN = {
  code: 'OUTCOME_UNKNOWN',
  detail: 'no evidence came whether the provider has the message',
} as const
