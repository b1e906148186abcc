/** One attempt: plan it, find a slot, claim it by appending `HandoffAttempted`, call the provider, append the outcome. */

import type { Fact } from '../../domain/message/events.ts'
import type { Content } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { isUnresolved, type MessageState } from '../../domain/message/state.ts'
import { isExpired, type Worker } from '../../domain/message/step.ts'
import { type Verdict, verdictOf } from '../../domain/routing/breaker.ts'
import { Rechecks } from '../../domain/routing/rechecks.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { unknownRuleOf } from '../../domain/routing/unknown.ts'
import { type Instant, later, type Millis, millis } from '../../lib/time.ts'
import type { Loaded } from '../../ports/event-log.ts'
import type { Attempt, Provider } from '../../ports/provider.ts'
import type { Taken } from '../../ports/queue.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Ahead, Dice } from '../../ports/world.ts'
import { suppress } from '../receive/suppress.ts'
import { advance, type RecordDeps, record, type Seen, toSeen } from '../record.ts'
import { type Decision, decide } from './decide.ts'
import { later as again, type Disposition, DONE, GONE } from './disposition.ts'
import { type Fit, type PlanDeps, plan, type Shut } from './plan.ts'
import { enter, type SlotDeps } from './provider-slots.ts'

export type AttemptDeps = RecordDeps &
  PlanDeps &
  SlotDeps &
  Readonly<{
    dice: Dice
    suppressions?: Pick<Suppressions, 'find' | 'add'>
    worker: Worker
    /** How long a provider may take to answer. */
    timeout: Millis
    ahead?: Ahead
    /** Without, every parked message looks again after the same time. */
    rechecks?: Rechecks
  }>

export async function attempt(deps: AttemptDeps, loaded: Loaded, taken: Taken): Promise<Disposition> {
  const seen = toSeen(loaded)
  const planned = await plan(deps, seen.state, loaded.content)
  switch (planned.kind) {
    case 'unfit': {
      const result = await record(deps, seen, planned.fact, { ends: taken })
      return result.kind === 'recorded' ? GONE : again(deps.clock())
    }
    case 'held':
      return again(planned.until)
    case 'shut':
      if (taken.gate !== undefined && isShutTooLong(deps, seen.state, planned)) {
        await record(deps, seen, { kind: 'DeadLettered', ...whyShut(seen.state) }, { ends: taken })
        return again(deps.clock())
      }
      return { kind: 'parked', gate: planned.gate, until: recheckAt(deps, seen.state) }
    case 'fit':
      return carryOut(deps, seen, planned, taken)
  }
}

const NOBODY = {
  code: 'NO_PROVIDER_AVAILABLE',
  detail: 'no provider of the route could be called for as long as the route waits',
}

/** Counted from when it was due: so long it has waited for any provider of its route. */
const isShutTooLong = ({ clock }: AttemptDeps, state: MessageState, { route }: Shut): boolean =>
  later(state.waitingSince ?? state.dueAt ?? state.updatedAt, unknownRuleOf(route, state.lane).giveUp) <= clock()

/** A message that was told to wait for an account says that in the end, whoever else could not be called meanwhile. */
const whyShut = ({ waitingSince, errorCode: code, errorDetail: detail = '' }: MessageState) =>
  waitingSince === undefined || code === undefined ? NOBODY : { code, detail }

/** By its deadline at the latest, so that it is said when it has passed. */
function recheckAt({ clock, rechecks = new Rechecks() }: AttemptDeps, { expiresAt }: MessageState): Instant {
  const at = rechecks.after(clock())
  return expiresAt !== undefined && expiresAt < at ? expiresAt : at
}

async function carryOut(deps: AttemptDeps, seen: Seen, fit: Fit, taken: Taken): Promise<Disposition> {
  const entry = enter(deps, seen.state, fit.provider)
  if (entry?.kind === 'full') {
    tell(deps, fit, 'not_called')
    return again(entry.until)
  }
  const made = await make(deps, seen, fit).finally(entry?.leave)
  // Somebody was faster, or its time ran out: look again at what the message wants now.
  if (made === undefined) return again(deps.clock())
  return conclude(deps, made.claimed, made.outcome, { ...fit, taken })
}

type Made = Readonly<{ claimed: Seen; outcome: SendOutcome }>

async function make(deps: AttemptDeps, seen: Seen, fit: Fit): Promise<Made | undefined> {
  const claimed = await claim(deps, seen, fit)
  if (claimed === undefined) return undefined
  if (isLate(deps, claimed.state)) {
    tell(deps, fit, 'not_called')
    return { claimed, outcome: LATE }
  }
  const outcome = await call(fit.provider, toAttempt(deps, claimed.state, fit.content), deps.timeout)
  tell(deps, fit, verdictOf(outcome), claimed.state.attemptedAt)
  return { claimed, outcome }
}

/** A pass that is not used is given back, or nobody else could be the trial. */
async function claim(deps: AttemptDeps, seen: Seen, fit: Fit): Promise<Seen | undefined> {
  const { id: routeId, operatorId } = fit.route
  const { checks } = fit
  let claimed: Seen | undefined
  try {
    // Planning may have taken a while.
    if (isExpired(seen.state, deps.clock())) return undefined
    const attempted: Fact = {
      kind: 'HandoffAttempted',
      provider: fit.provider.name,
      routeId,
      owner: deps.worker.owner,
      ...(operatorId === undefined ? {} : { operatorId }),
    }
    const before: Fact | undefined = checks && { kind: 'MessageValidated', checks }
    const result = await record(deps, seen, attempted, { before })
    if (result.kind === 'recorded') claimed = result.seen
    return claimed
  } finally {
    if (claimed === undefined) tell(deps, fit, 'not_called')
  }
}

function tell({ breakers, clock }: AttemptDeps, { provider, pass }: Fit, verdict: Verdict, begunAt = clock()): void {
  breakers.report(provider.name, pass, verdict, clock(), begunAt)
}

/** The timer goes with the call: thousands of them waiting for nothing would cost more than the calls. */
async function call(provider: Provider, attempt: Attempt, timeout: Millis): Promise<SendOutcome> {
  const impatience = new AbortController()
  const timer = setTimeout(
    () => impatience.abort(new DOMException('the provider took too long', 'TimeoutError')),
    timeout,
  )
  try {
    return await provider.send(attempt, impatience.signal)
  } finally {
    clearTimeout(timer)
  }
}

const LATE: SendOutcome = {
  kind: 'deferred',
  code: 'CLAIM_LATE',
  detail: 'the log took the attempt too late for it to be made',
  retryAfter: millis(0),
}

/** The call must end while the claim still holds: after that others may find the provider without it, and send again. */
const isLate = ({ clock, timeout, worker }: AttemptDeps, { attemptedAt, updatedAt }: MessageState): boolean =>
  later(clock(), timeout) > later(attemptedAt ?? updatedAt, worker.lease)

function toAttempt({ ids, ahead }: AttemptDeps, state: MessageState, content: Content): Attempt {
  const { id: messageId, cycle, attempt, tenantId, encoding, segments, expiresAt, traceId } = state
  const ref = { messageId, cycle, attempt }
  // Kept by our clock, and meant by the wall clock.
  const deadline = expiresAt === undefined ? {} : { expiresAt: later(expiresAt, millis(-(ahead?.() ?? 0))) }
  const common = { id: ids.attemptId(ref), ref, tenantId, traceId, ...deadline }
  if (content.channel === 'email') return { ...common, channel: 'email', content }
  if (encoding === 'mime') throw new Error('an SMS is written as a mail')
  return { ...common, channel: 'sms', content, encoding, segments }
}

type Errand = Readonly<{ route: Route; taken: Taken; content: Content }>

/**
 * A receipt may have told the outcome before the answer came; then there is nothing left to say. An
 * answer that comes after the attempt was given up for lost still ends the doubt.
 */
async function conclude(deps: AttemptDeps, claimed: Seen, outcome: SendOutcome, errand: Errand): Promise<Disposition> {
  const { recorded } = await advance(deps, claimed, (state) =>
    state.attempt === claimed.state.attempt && (state.phase === 'open' || state.phase === 'unknown')
      ? isUnresolved(state)
        ? resolve(outcome)
        : { ...decide(deps, state, errand.route, outcome), ends: errand.taken }
      : undefined,
  )
  if (recorded && outcome.kind === 'rejected' && outcome.suppresses !== undefined) {
    await noMore(deps, claimed.state, errand.content, outcome.suppresses)
  }
  return recorded ? GONE : DONE
}

/** What an answer says of a message that was given up on before it came. */
function resolve(outcome: SendOutcome): Decision | undefined {
  switch (outcome.kind) {
    case 'accepted':
      return { fact: { ...outcome, kind: 'HandoffAccepted', by: 'answer' } }
    case 'rejected':
    case 'deferred':
      return { fact: { kind: 'HandoffFailed', code: outcome.code, detail: outcome.detail } }
    case 'unknown':
      return undefined
  }
}

/** Should the list be away, the next mail finds out the same. */
async function noMore(deps: AttemptDeps, state: MessageState, content: Content, reason: 'hard_bounce'): Promise<void> {
  const { suppressions, clock } = deps
  if (suppressions === undefined || content.channel !== 'email') return
  const { id: messageId, tenantId } = state
  try {
    await suppress({ suppressions, clock }, { tenantId, address: content.to, reason, messageId })
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
  }
}
