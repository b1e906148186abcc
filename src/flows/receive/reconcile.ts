/**
 * An attempt whose outcome is unknown: ask the provider where it can be asked, and otherwise do what the route says.
 * Until then the message is held, never sent again on a guess; and it is not held for ever.
 */
import { nextPoll } from '../../domain/message/polling.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { giveUpAt, OUTCOME_UNKNOWN, type UnknownPolicy, unknownRuleOf } from '../../domain/routing/unknown.ts'
import { type Instant, instant } from '../../lib/time.ts'
import type { Loaded } from '../../ports/event-log.ts'
import type { LookupResult } from '../../ports/provider.ts'
import { advance, toSeen } from '../record.ts'
import type { AttemptDeps } from '../send/attempt.ts'
import { afterwards, byAnother, type Decision } from '../send/decide.ts'
import { enter } from '../send/provider-slots.ts'
import { retryOf, routeTaken } from '../send/routes.ts'
import { applyReceipt } from './apply-receipt.ts'

export type ReconcileDeps = Omit<AttemptDeps, 'timeout' | 'worker'>

/** When to look again, or undefined once the outcome is known or the message was given up. */
export async function reconcile(deps: ReconcileDeps, loaded: Loaded): Promise<Instant | undefined> {
  const { state } = loaded.event
  const route = routeTaken(deps.routes, state)
  const rule = unknownRuleOf(route, state.lane)
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

/** A question is a call as any other: a provider that hangs must not take all of our concurrency by those either. */
async function ask(deps: ReconcileDeps, state: MessageState): Promise<Answer> {
  const provider = state.provider === undefined ? undefined : deps.providers.get(state.provider)
  if (provider?.lookup === undefined || state.erased) return { kind: 'undetermined' }
  const entry = enter(deps, state, { name: provider.name })
  if (entry?.kind === 'full') return { kind: 'busy', until: entry.until }
  const { id: messageId, cycle, attempt } = state
  const ref = { messageId, cycle, attempt }
  return await inTime(provider.lookup(ref, deps.ids.attemptId(ref)).finally(entry?.leave))
}

/** A provider that just hung may hang again: whoever waits for a code is not to wait for that too. */
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

const NOT_RECEIVED = { code: 'NOT_RECEIVED', detail: 'the provider says that it never got the attempt' }

/** The provider certainly does not have it: that is an outcome as any other. */
const notReceived =
  (deps: ReconcileDeps, route: Route | undefined): Decide =>
  (state) =>
    afterwards(deps, state, route, NOT_RECEIVED)

/** A dead letter that a person may resend or resolve, and that a late receipt still resolves. */
const giveUp: Decide = () => ({ fact: { kind: 'DeadLettered', ...OUTCOME_UNKNOWN, outcome: 'unknown' } })

/** Undefined means to hold. Nobody waits once more before sending again: the wait for evidence is over. */
function byPolicy(deps: ReconcileDeps, route: Route | undefined, policy: UnknownPolicy): Decide | undefined {
  switch (policy) {
    case 'hold':
      return undefined
    case 'resend':
      return (state) => sendAgain(deps, state)
    case 'failover':
      return (state) => byAnother(deps, state, route, OUTCOME_UNKNOWN) ?? sendAgain(deps, state)
  }
}

function sendAgain(deps: ReconcileDeps, state: MessageState): Decision {
  const isLast = state.attempt - state.attemptsBefore >= retryOf(deps.routes, state).maxAttempts
  if (isLast) return giveUp(state)
  return { fact: { kind: 'RetryScheduled', ...OUTCOME_UNKNOWN, dueAt: deps.clock() }, jobAt: 'now' }
}
