/** One attempt: plan it, take a slot, claim it by appending `HandoffAttempted`, call the provider, append the outcome. */

import type { Fact } from '../../domain/message/events.ts'
import type { Content } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { isUnresolved, type MessageState } from '../../domain/message/state.ts'
import { isExpired, type Worker } from '../../domain/message/step.ts'
import { type Verdict, verdictOf } from '../../domain/routing/breaker.ts'
import type { Slot } from '../../domain/routing/provider-slots.ts'
import { Rechecks } from '../../domain/routing/rechecks.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { unknownRuleOf } from '../../domain/routing/unknown.ts'
import { type SharedTimeout, SharedTimeouts } from '../../lib/shared-timeouts.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import { later, type Millis, millis } from '../../lib/time.ts'
import type { Loaded } from '../../ports/event-log.ts'
import type { Attempt } from '../../ports/provider.ts'
import type { Disposition, Taken } from '../../ports/queue.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Ahead, Dice } from '../../ports/world.ts'
import { suppress } from '../receive/suppress.ts'
import { advance, type Decision, type RecordDeps, record, type Seen, toSeen } from '../record.ts'
import { depsFor } from './choose-provider.ts'
import { decide, toReason } from './decide.ts'
import { type Blocked, type Fit, type PlanDeps, planAttempt } from './plan-attempt.ts'
import { byDeadline, type TakeSlotDeps, takeSlot } from './take-slot.ts'

export type AttemptDeps = RecordDeps &
  PlanDeps &
  TakeSlotDeps &
  Readonly<{
    dice: Dice
    suppressions?: Pick<Suppressions, 'find' | 'add'>
    worker: Worker
    /** How long a provider may take to respond. */
    timeout: Millis
    ahead?: Ahead
    /** Without it, every parked message is rechecked after the same time. */
    rechecks?: Rechecks
  }>

export function attempt(shared: AttemptDeps, loaded: Loaded, taken: Taken): Soon<Disposition> {
  const seen = toSeen(loaded)
  const deps = depsFor(shared, seen.state.tenantId)
  return whenReady(planAttempt(deps, seen.state, loaded.content), (plan) => {
    switch (plan.kind) {
      case 'unfit':
        return refuse(deps, seen, plan.fact, taken)
      case 'held':
        return { kind: 'later', at: plan.until }
      case 'blocked':
        return park(deps, seen, plan, taken)
      case 'fit':
        return carryOut(deps, seen, plan, taken)
    }
  })
}

async function refuse(deps: AttemptDeps, seen: Seen, fact: Fact, taken: Taken): Promise<Disposition> {
  const result = await record(deps, seen, fact, { ends: taken })
  return result.kind === 'recorded' ? { kind: 'gone' } : { kind: 'later', at: deps.clock() }
}

const NO_PROVIDER = {
  code: 'NO_PROVIDER_AVAILABLE',
  detail: 'no provider of the route could be called for as long as the route waits',
}

/** A message that was parked before is dead-lettered once its route has waited long enough. */
async function park(deps: AttemptDeps, seen: Seen, { gate, route }: Blocked, taken: Taken): Promise<Disposition> {
  const { state } = seen
  const { clock, rechecks = new Rechecks() } = deps
  const giveUpAt = later(state.waitingSince ?? state.dueAt ?? state.updatedAt, unknownRuleOf(route, state.lane).giveUp)
  if (taken.gate !== undefined && giveUpAt <= clock()) {
    await record(deps, seen, { kind: 'DeadLettered', ...blockedReason(state) }, { ends: taken })
    return { kind: 'later', at: clock() }
  }
  return { kind: 'parked', gate, until: byDeadline(state, rechecks.after(clock())) }
}

/** A message that waits for a suspended account keeps that as its error, whichever other provider was blocked too. */
const blockedReason = ({ waitingSince, errorCode: code, errorDetail: detail = '' }: MessageState) =>
  waitingSince === undefined || code === undefined ? NO_PROVIDER : { code, detail }

async function carryOut(deps: AttemptDeps, seen: Seen, fit: Fit, taken: Taken): Promise<Disposition> {
  const slot = takeSlot(deps, seen.state, fit.provider)
  if (slot?.kind === 'full') {
    report(deps, fit, 'not_called')
    return { kind: 'later', at: slot.until }
  }
  const made = await make(deps, seen, fit, slot)
  // Another worker was faster, or the deadline passed: decide again from the message's current state.
  if (made === undefined) return { kind: 'later', at: deps.clock() }
  const { claimed, outcome } = made
  const work = { route: fit.route, taken }
  const { recorded } = await advance(deps, claimed, (state) => conclude(deps, made, work, state))
  if (recorded && outcome.kind === 'rejected' && outcome.suppresses !== undefined) {
    await suppressRecipient(deps, claimed.state, fit.content, outcome.suppresses)
  }
  return recorded ? GONE : DONE
}

const GONE: Disposition = { kind: 'gone' }
const DONE: Disposition = { kind: 'done' }

type Made = Readonly<{ claimed: Seen; outcome: SendOutcome }>
type FreeSlot = Exclude<Slot, { kind: 'full' }>

/** Calls with the same timeout share a timer. */
const timeouts = new SharedTimeouts()

/** Releases the slot, and gives an unused permit back: otherwise no other message could make the breaker's trial call. */
async function make(deps: AttemptDeps, seen: Seen, fit: Fit, slot: FreeSlot | undefined): Promise<Made | undefined> {
  let call: SharedTimeout | undefined
  try {
    // Planning may have taken a while.
    if (isExpired(seen.state, deps.clock())) return undefined
    const { checks } = fit
    const before: Fact | undefined = checks && { kind: 'MessageValidated', checks }
    const result = await record(deps, seen, toClaim(deps, fit), { before })
    if (result.kind !== 'recorded') return undefined
    const claimed = result.seen
    if (isLate(deps, claimed.state)) return { claimed, outcome: LATE }
    call = timeouts.begin(deps.timeout)
    const outcome = await fit.provider.send(toAttempt(deps, claimed.state, fit.content), call.signal)
    report(deps, fit, verdictOf(outcome), claimed.state.attemptedAt)
    return { claimed, outcome }
  } finally {
    if (call === undefined) report(deps, fit, 'not_called')
    call?.end()
    slot?.release()
  }
}

function toClaim({ worker: { owner } }: AttemptDeps, { provider: { name: provider }, route }: Fit): Fact {
  const { id: routeId, operatorId } = route
  const kind = 'HandoffAttempted'
  return operatorId === undefined ? { kind, provider, routeId, owner } : { kind, provider, routeId, owner, operatorId }
}

function report(
  { breakers, clock }: AttemptDeps,
  { provider, permit }: Fit,
  verdict: Verdict,
  begunAt = clock(),
): void {
  breakers.report(provider.name, permit, verdict, clock(), begunAt)
}

const LATE: SendOutcome = {
  kind: 'deferred',
  code: 'CLAIM_LATE',
  detail: 'the log took the attempt too late for it to be made',
  retryAfter: millis(0),
}

/** The call must end while the lease holds: afterwards another worker may look it up, find nothing and send again. */
const isLate = ({ clock, timeout, worker }: AttemptDeps, { attemptedAt, updatedAt }: MessageState): boolean =>
  later(clock(), timeout) > later(attemptedAt ?? updatedAt, worker.lease)

function toAttempt({ ids, ahead, worker }: AttemptDeps, state: MessageState, content: Content): Attempt {
  const { id: messageId, cycle, attempt, tenantId, encoding, segments, traceId, unsampled, expiresAt } = state
  const ref = { messageId, cycle, attempt }
  const id = ids.attemptId(ref)
  // Stored by our clock; the provider reads it by the wall clock.
  const deadline = expiresAt === undefined ? {} : { expiresAt: later(expiresAt, millis(-(ahead?.() ?? 0))) }
  const trace = unsampled === undefined ? { traceId } : { traceId, unsampled }
  const common = { id, ref, tenantId, ...trace, ...deadline, ...(worker.alone ? {} : { worker: worker.owner }) }
  const { channel } = content
  if (channel === 'email') return { ...common, channel, content }
  if (encoding === 'mime') throw new Error('an SMS has the encoding of an email')
  return { ...common, channel, content, encoding, segments }
}

/**
 * A receipt may have recorded the outcome before the response came; then there is nothing to add. A response that comes
 * after the attempt was declared unknown still decides its outcome.
 */
function conclude(
  deps: AttemptDeps,
  { claimed, outcome }: Made,
  { route, taken }: Readonly<{ route: Route; taken: Taken }>,
  state: MessageState,
): Decision | undefined {
  const isUndecided = state.phase === 'open' || state.phase === 'unknown'
  if (!isUndecided || state.attempt !== claimed.state.attempt) return undefined
  return isUnresolved(state) ? resolve(outcome) : { ...decide(deps, state, route, outcome), ends: taken }
}

/** A late response to a message that has already failed as unresolved. */
function resolve(outcome: SendOutcome): Decision | undefined {
  switch (outcome.kind) {
    case 'accepted':
      return { fact: { ...outcome, kind: 'HandoffAccepted', by: 'answer' } }
    case 'rejected':
    case 'deferred':
      return { fact: { kind: 'HandoffFailed', ...toReason(outcome) } }
    case 'unknown':
      return undefined
  }
}

/** If the suppression list is unavailable, the next email to the address bounces and suppresses it. */
async function suppressRecipient(
  { suppressions, clock }: AttemptDeps,
  { id: messageId, tenantId }: MessageState,
  content: Content,
  reason: 'hard_bounce',
): Promise<void> {
  if (suppressions === undefined || content.channel !== 'email') return
  try {
    await suppress({ suppressions, clock }, { tenantId, address: content.to, reason, messageId })
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
  }
}
