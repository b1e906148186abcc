/**
 * Where a message stands, as a person would name it. Derived from its state and from what surrounds it now: its route,
 * its providers, its tenant.
 *
 * | group       | situations                                                                                     |
 * |-------------|------------------------------------------------------------------------------------------------|
 * | waiting     | queued, retry_scheduled, waiting_for_account, no_provider, no_route, tenant_suspended, …       |
 * | at a call   | sending, attempt_abandoned                                                                     |
 * | undecided   | unknown_outcome (evidence is awaited), unknown_held (the route holds it), unresolved (gave up) |
 * | handed off  | awaiting_report, sent_without_reports                                                          |
 * | reported    | delivered, bounced, dropped, complaint, report_timed_out                                       |
 * | over        | expired, resolved_not_sent, invalid, dead_letter, failed                                       |
 */
import { type Instant, later } from '../../lib/time.ts'
import { isUnresolved } from '../message/state.ts'
import { isExpired } from '../message/step.ts'
import { lastFact } from './attempts.ts'
import { type Circumstances, firstCallableAt, isUp } from './circumstances.ts'
import { dueOf } from './numbers.ts'

export const SITUATIONS = [
  'queued',
  'retry_scheduled',
  'waiting_for_account',
  'no_provider',
  'no_route',
  'tenant_suspended',
  'content_erased',
  'gateway_starting',
  'deadline_passed',
  'sending',
  'attempt_abandoned',
  'unknown_outcome',
  'unknown_held',
  'unresolved',
  'awaiting_report',
  'sent_without_reports',
  'delivered',
  'bounced',
  'dropped',
  'complaint',
  'report_timed_out',
  'expired',
  'resolved_not_sent',
  'invalid',
  'dead_letter',
  'failed',
] as const
export type Situation = (typeof SITUATIONS)[number]

export function toSituation(circumstances: Circumstances): Situation {
  switch (circumstances.state.providerState) {
    case 'delivered':
    case 'bounced':
    case 'dropped':
    case 'complaint':
      return circumstances.state.providerState
    case 'timed_out':
      return 'report_timed_out'
    case 'unknown':
    case 'accepted':
      return ofHandoff(circumstances)
  }
}

function ofHandoff(circumstances: Circumstances): Situation {
  const { state } = circumstances
  switch (state.handoffState) {
    case 'handed_off':
      return state.noDeliveryReports === true ? 'sent_without_reports' : 'awaiting_report'
    case 'failed':
      return failed(circumstances)
    case 'queued':
    case 'sending':
      return inProgress(circumstances)
  }
}

function failed({ state, events }: Circumstances): Situation {
  if (isUnresolved(state)) return 'unresolved'
  if (state.expired) return 'expired'
  if (state.dead) return 'dead_letter'
  if (lastFact(events, state.cycle, 'ValidationFailed') !== undefined) return 'invalid'
  return lastFact(events, state.cycle, 'HandoffFailed')?.fact.resolvedBy === undefined ? 'failed' : 'resolved_not_sent'
}

function inProgress(circumstances: Circumstances): Situation {
  const { state, now, lease } = circumstances
  if (state.phase === 'open')
    return later(state.attemptedAt ?? state.updatedAt, lease) > now ? 'sending' : 'attempt_abandoned'
  if (state.phase === 'unknown') return unknown(circumstances)
  return isExpired(state, now) ? 'deadline_passed' : waiting(circumstances)
}

/** Held only by a route that says so, once the wait for evidence is over. */
const unknown = ({ state, now, unknownRule }: Circumstances): Situation =>
  unknownRule.policy === 'hold' && (state.dueAt ?? now) <= now ? 'unknown_held' : 'unknown_outcome'

/** What keeps it from being sent comes before when it is due. */
function waiting(circumstances: Circumstances): Situation {
  const { state, now, isSuspended, route, providers } = circumstances
  if (isSuspended) return 'tenant_suspended'
  if (state.erased || route === undefined) return 'content_erased'
  if (route === 'unloaded') return 'gateway_starting'
  if (typeof route === 'string') return 'no_route'
  const dueAt = dueOf(state, now)
  if (!providers.some(isUp) && isBlockedBeyond(circumstances, dueAt)) return 'no_provider'
  if (dueAt <= now) return 'queued'
  return state.waitingSince === undefined ? 'retry_scheduled' : 'waiting_for_account'
}

/** Whether no provider can be called when it is due: a breaker that lets a call through before delays no retry. */
function isBlockedBeyond({ providers, now }: Circumstances, dueAt: Instant): boolean {
  const at = firstCallableAt(providers)
  return at === undefined || at > dueAt || dueAt <= now
}
