/**
 * Reconciles an attempt whose outcome is unknown: asks the provider if possible, and otherwise follows the route's
 * policy. Until then the message is held and never sent again on a guess, and it does not wait for ever.
 */
import { nextPoll } from '../../domain/message/polling.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { giveUpAt, OUTCOME_UNKNOWN, type UnknownPolicy, unknownRuleOf } from '../../domain/routing/unknown.ts'
import { type Instant, instant } from '../../lib/time.ts'
import type { Loaded } from '../../ports/event-log.ts'
import type { LookupResult } from '../../ports/provider.ts'
import { advance, type Decision, toSeen } from '../record.ts'
import type { AttemptDeps } from '../send/attempt.ts'
import { failOver, retryOrFailOver } from '../send/decide.ts'
import { retryPolicyFor, routeTaken, usablePart } from '../send/find-route.ts'
import { takeSlot } from '../send/take-slot.ts'
import { applyReceipt } from './apply-receipt.ts'

type ReconcileDeps = Omit<AttemptDeps, 'timeout' | 'worker'>

/** When to reconcile again; undefined once the outcome is known or the message has failed. */
export async function reconcile(deps: ReconcileDeps, loaded: Loaded): Promise<Instant | undefined> {
  const { state } = loaded.event
  const taken = routeTaken(deps.routes, state)
  const rule = unknownRuleOf(taken, state.lane)
  const route = taken && usablePart(deps, state.tenantId, taken)
  const end = giveUpAt(state, rule)
  const isOver = state.erased || end <= deps.clock()

  const answer = await ask(deps, state)
  if (answer.kind === 'found') {
    await applyReceipt(deps, answer.receipt, 'lookup')
    return undefined
  }
  if (answer.kind === 'busy' && !isOver) return earlier(answer.until, end)
  const decide =
    answer.kind === 'absent' ? notReceived(deps, route) : isOver ? giveUp : byPolicy(deps, route, rule.policy)
  if (decide === undefined) return earlier(nextPoll(state.updatedAt, deps.clock()), end)

  await advance(deps, toSeen(loaded), (newest) =>
    newest.attempt === state.attempt && newest.phase === 'unknown' && !isHandoffOver(newest.handoffState)
      ? decide(newest)
      : undefined,
  )
  return undefined
}

const earlier = (one: Instant, other: Instant): Instant => instant(Math.min(one, other))

type Answer = LookupResult | Readonly<{ kind: 'busy'; until: Instant }>

/**
 * A look-up takes a slot like any call: a provider that hangs must not use up our concurrency through look-ups either.
 */
async function ask(deps: ReconcileDeps, state: MessageState): Promise<Answer> {
  const provider = state.provider === undefined ? undefined : deps.providers.get(state.provider)
  if (provider?.lookup === undefined || state.erased) return { kind: 'undetermined' }
  const slot = takeSlot(deps, state, { name: provider.name })
  if (slot?.kind === 'full') return { kind: 'busy', until: slot.until }
  const { id: messageId, cycle, attempt } = state
  const ref = { messageId, cycle, attempt }
  return await inTime(provider.lookup(ref, deps.ids.attemptId(ref)).finally(slot?.release))
}

/** A provider that just hung may hang again, and a one-time code cannot wait for that. */
const LOOKUP_MS = 3_000

async function inTime(answer: Promise<LookupResult>): Promise<LookupResult> {
  const late = Promise.withResolvers<LookupResult>()
  const timer = setTimeout(() => late.resolve({ kind: 'undetermined' }), LOOKUP_MS)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

type Decide = (state: MessageState) => Decision

const NOT_RECEIVED = { code: 'NOT_RECEIVED', detail: 'the provider says that it never received the attempt' }

/** The provider certainly does not have the message. */
const notReceived =
  (deps: ReconcileDeps, route: Route | undefined): Decide =>
  (state) =>
    retryOrFailOver(deps, state, route, NOT_RECEIVED)

/** A dead letter that a person may resend or resolve, and that a late receipt still decides. */
const giveUp: Decide = () => ({ fact: { kind: 'DeadLettered', ...OUTCOME_UNKNOWN, outcome: 'unknown' } })

/** Undefined means to hold. Sends again at once: the wait for evidence is already over. */
function byPolicy(deps: ReconcileDeps, route: Route | undefined, policy: UnknownPolicy): Decide | undefined {
  switch (policy) {
    case 'hold':
      return undefined
    case 'resend':
      return (state) => sendAgain(deps, state)
    case 'failover':
      return (state) => failOver(deps, state, route, OUTCOME_UNKNOWN) ?? sendAgain(deps, state)
  }
}

function sendAgain(deps: ReconcileDeps, state: MessageState): Decision {
  const isLast = state.attempt - state.attemptsBefore >= retryPolicyFor(deps.routes, state).maxAttempts
  if (isLast) return giveUp(state)
  return { fact: { kind: 'RetryScheduled', ...OUTCOME_UNKNOWN, dueAt: deps.clock() }, jobAt: 'now' }
}
