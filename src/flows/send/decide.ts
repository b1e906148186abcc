/** Decides what to record after a call to a provider: the outcome of the attempt, or the next attempt and where it goes. */

import type { ProviderName } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isExpired } from '../../domain/message/step.ts'
import { type AfterFailure, afterFailure, LONGEST_ADVICE, RETRY, type RetryPolicy } from '../../domain/routing/retry.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { reconcileAt, unknownRuleOf } from '../../domain/routing/unknown.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { Provider } from '../../ports/provider.ts'
import type { Dice } from '../../ports/world.ts'
import type { Decision } from '../record.ts'
import { isCallable } from './choose-provider.ts'

type DecideDeps = Readonly<{
  clock: Clock
  dice: Dice
  providers: ReadonlyMap<ProviderName, Provider>
  breakers: Pick<Breakers, 'states'>
}>

export function decide(deps: DecideDeps, state: MessageState, route: Route, outcome: SendOutcome): Decision {
  switch (outcome.kind) {
    case 'accepted':
      return { fact: { ...outcome, kind: 'HandoffAccepted', by: 'answer' } }
    case 'rejected':
      return outcome.blame === 'message' ? fail(outcome) : excludeProvider(deps, state, route, outcome)
    case 'deferred':
      return outcome.blame === 'account'
        ? waitForAccount(deps, state, route, outcome)
        : retryOrFailOver(deps, state, route, outcome)
    case 'unknown': {
      const at = reconcileAt(state, unknownRuleOf(route, state.lane), deps.clock())
      return { fact: { kind: 'HandoffUnknown', ...toReason(outcome), reconcileAt: at }, jobAt: at }
    }
  }
}

/** `retryAfter` is the wait that the provider asked for, if any. */
export type Reason = Readonly<{ code: string; originalCode?: string; detail: string; retryAfter?: Millis }>

const fail = (reason: Reason): Decision => ({ fact: { kind: 'HandoffFailed', ...toReason(reason) } })

type Deferred = Reason & Required<Pick<Reason, 'retryAfter'>>

/** The fields of a reason that every fact records. */
export const toReason = ({ code, originalCode, detail }: Reason): Omit<Reason, 'retryAfter'> =>
  originalCode === undefined ? { code, detail } : { code, originalCode, detail }

/** With the wait. */
const toRecorded = ({ retryAfter = millis(0), ...reason }: Reason) =>
  omitUndefined({ ...toReason(reason), retryAfterSeconds: retryAfter > 0 ? retryAfter / 1000 : undefined })

/** The provider itself is at fault: the next one of the route is tried at once, and without one the message fails. */
function excludeProvider(deps: DecideDeps, state: MessageState, route: Route, reason: Reason): Decision {
  const excluded = [...(state.excluded ?? []), state.provider]
  const isAnotherLeft = route.providers.some((name) => deps.providers.has(name) && !excluded.includes(name))
  if (state.provider === undefined || !isAnotherLeft) return fail(reason)
  return {
    fact: { kind: 'RetryScheduled', ...toRecorded(reason), dueAt: deps.clock(), exclude: state.provider },
    jobAt: 'now',
  }
}

/**
 * Fails over to another provider of the route at once; the current one is tried last from then on. Undefined while no
 * other can be called.
 */
export function failOver(
  deps: DecideDeps,
  state: MessageState,
  route: Route | undefined,
  reason: Reason,
): Decision | undefined {
  const { provider: avoid, excluded = [], avoided = [] } = state
  const others = route?.providers.filter((name) => name !== avoid && ![...excluded, ...avoided].includes(name)) ?? []
  const isCallableNow = others
    .flatMap((name) => deps.providers.get(name) ?? [])
    .some((provider) => isCallable(deps, provider))
  if (avoid === undefined || !isCallableNow || isExpired(state, deps.clock())) return undefined
  return { fact: { kind: 'RetryScheduled', ...toRecorded(reason), dueAt: deps.clock(), avoid }, jobAt: 'now' }
}

/** An account is rarely usable again sooner, whatever wait the provider names. */
const LEAST_ACCOUNT_WAIT = seconds(60)

/**
 * Our account at the provider may not send for now: another provider takes over, or the message waits without using up
 * an attempt. It waits no longer than the route waits for an unknown outcome.
 */
function waitForAccount(deps: DecideDeps, state: MessageState, route: Route, reason: Deferred): Decision {
  const other = failOver(deps, state, route, reason)
  if (other !== undefined) return uncounted(other)
  const { retryAfter } = reason
  const now = deps.clock()
  const end = later(state.waitingSince ?? now, unknownRuleOf(route, state.lane).giveUp)
  if (end <= now) return { fact: { kind: 'DeadLettered', ...toReason(reason) } }
  const advised = millis(Math.min(Math.max(retryAfter, LEAST_ACCOUNT_WAIT), LONGEST_ADVICE))
  const wait = isExpired(state, later(now, advised)) ? LEAST_ACCOUNT_WAIT : advised
  const dueAt = instant(Math.min(later(now, wait), end))
  if (isExpired(state, dueAt)) return { fact: { kind: 'MessageExpired', ...toReason(reason) } }
  return uncounted({ fact: { kind: 'RetryScheduled', ...toRecorded(reason), dueAt }, jobAt: dueAt })
}

const uncounted = ({ fact, ...rest }: Decision): Decision =>
  fact.kind === 'RetryScheduled' ? { ...rest, fact: { ...fact, uncounted: true } } : { ...rest, fact }

/**
 * The provider certainly does not have the message: retries while attempts and time are left. Fails over at once where
 * the route says so, or where the provider asks for a longer wait than the route has.
 */
export function retryOrFailOver(
  deps: DecideDeps,
  state: MessageState,
  route: Route | undefined,
  reason: Reason,
): Decision {
  const policy = route?.retry ?? RETRY[state.channel]
  const next = nextRetry(deps, state, policy, reason)
  const mayFailOver = next.kind !== 'exhausted' && (policy.failover === true || next.isAdvised)
  return (mayFailOver ? failOver(deps, state, route, reason) : undefined) ?? toRetry(state, next, reason)
}

/** Retries by the policy alone, where no other provider can be chosen. */
export const retry = (
  deps: Pick<DecideDeps, 'clock' | 'dice'>,
  state: MessageState,
  policy: RetryPolicy,
  reason: Reason,
): Decision => toRetry(state, nextRetry(deps, state, policy, reason), reason)

function nextRetry(
  { clock, dice }: Pick<DecideDeps, 'clock' | 'dice'>,
  { attempt, attemptsBefore, expiresAt }: MessageState,
  policy: RetryPolicy,
  { retryAfter = millis(0) }: Reason,
): AfterFailure {
  const failure = { attempts: attempt - attemptsBefore, endedAt: clock(), retryAfter, expiresAt }
  return afterFailure(omitUndefined(failure), policy, dice())
}

function toRetry({ avoided }: MessageState, next: AfterFailure, reason: Reason): Decision {
  switch (next.kind) {
    case 'exhausted':
      return { fact: { kind: 'DeadLettered', ...toReason(reason) } }
    case 'expired':
      return { fact: { kind: 'MessageExpired' } }
    case 'retry': {
      const startsOver = avoided === undefined ? {} : { startsOver: true as const }
      return { fact: { kind: 'RetryScheduled', ...toRecorded(reason), dueAt: next.at, ...startsOver }, jobAt: next.at }
    }
  }
}
