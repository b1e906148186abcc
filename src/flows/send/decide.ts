/** What is to be recorded after a call to a provider: the attempt is over, or is to be made again, here or elsewhere. */

import type { ProviderName } from '../../domain/ids.ts'
import type { Fact } from '../../domain/message/events.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isExpired } from '../../domain/message/step.ts'
import { afterFailure, LONGEST_ADVICE, RETRY } from '../../domain/routing/retry.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { reconcileAt, unknownRuleOf } from '../../domain/routing/unknown.ts'
import type { Clock } from '../../lib/clock.ts'
import { instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { Provider } from '../../ports/provider.ts'
import type { Dice } from '../../ports/world.ts'
import type { Circumstances } from '../record.ts'
import { isCallable } from './routes.ts'

export type DecideDeps = Readonly<{
  clock: Clock
  dice: Dice
  providers: ReadonlyMap<ProviderName, Provider>
  breakers: Pick<Breakers, 'states'>
}>

export type Decision = Readonly<{ fact: Fact } & Circumstances>

export function decide(deps: DecideDeps, state: MessageState, route: Route, outcome: SendOutcome): Decision {
  switch (outcome.kind) {
    case 'accepted':
      return { fact: { ...outcome, kind: 'HandoffAccepted', by: 'answer' } }
    case 'rejected':
      return outcome.blame === 'message' ? unfit(outcome.code, outcome.detail) : elsewhere(deps, state, route, outcome)
    case 'deferred':
      return outcome.blame === 'account'
        ? elsewhereOrLater(deps, state, route, outcome)
        : afterwards(deps, state, route, outcome)
    case 'unknown': {
      const { code, detail } = outcome
      const at = reconcileAt(state, unknownRuleOf(route, state.lane), deps.clock())
      return { fact: { kind: 'HandoffUnknown', code, detail, reconcileAt: at }, jobAt: at }
    }
  }
}

/** An attempt that has failed for good, and why. */
const unfit = (code: string, detail: string): Decision => ({ fact: { kind: 'HandoffFailed', code, detail } })

/** `retryAfter` is the wait that the provider asked for, if any. */
type Reason = Readonly<{ code: string; detail: string; retryAfter?: Millis }>

/** What goes into the timeline of a reason. */
const told = ({ code, detail, retryAfter = millis(0) }: Reason) => ({
  code,
  detail,
  ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter / 1000 } : {}),
})

/** The provider blames itself: the route's next one is asked at once, and when none is left the message fails. */
function elsewhere(deps: DecideDeps, state: MessageState, route: Route, reason: Reason): Decision {
  const passed = [...(state.excluded ?? []), state.provider]
  const isAnotherLeft = route.providers.some((name) => deps.providers.has(name) && !passed.includes(name))
  if (state.provider === undefined || !isAnotherLeft) return unfit(reason.code, reason.detail)
  return {
    fact: { kind: 'RetryScheduled', ...told(reason), dueAt: deps.clock(), exclude: state.provider },
    jobAt: 'now',
  }
}

/**
 * The route's next provider at once, where one can be called; this one comes last from then on. Undefined where none
 * can: then this one is better than none.
 */
export function byAnother(
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
  return { fact: { kind: 'RetryScheduled', ...told(reason), dueAt: deps.clock(), avoid }, jobAt: 'now' }
}

/** What an account may not do now it may hardly do sooner, whatever wait the provider names. */
const LEAST_ACCOUNT_WAIT = seconds(60)

/**
 * Our account there may not send for now: another takes over, or the message waits and has lost no attempt. It gives
 * up in the end, as if it were unknown what becomes of the account.
 */
function elsewhereOrLater(deps: DecideDeps, state: MessageState, route: Route, reason: Required<Reason>): Decision {
  const other = byAnother(deps, state, route, reason)
  if (other !== undefined) return uncounted(other)
  const { code, detail, retryAfter } = reason
  const now = deps.clock()
  const end = later(state.waitingSince ?? now, unknownRuleOf(route, state.lane).giveUp)
  if (end <= now) return { fact: { kind: 'DeadLettered', code, detail } }
  const advised = millis(Math.min(Math.max(retryAfter, LEAST_ACCOUNT_WAIT), LONGEST_ADVICE))
  const wait = isExpired(state, later(now, advised)) ? LEAST_ACCOUNT_WAIT : advised
  const dueAt = instant(Math.min(later(now, wait), end))
  if (isExpired(state, dueAt)) return { fact: { kind: 'MessageExpired', code, detail } }
  return uncounted({ fact: { kind: 'RetryScheduled', ...told(reason), dueAt }, jobAt: dueAt })
}

const uncounted = ({ fact, ...rest }: Decision): Decision =>
  fact.kind === 'RetryScheduled' ? { ...rest, fact: { ...fact, uncounted: true } } : { ...rest, fact }

/**
 * The provider certainly does not have it: try again later, while there are attempts and time left. Another provider
 * takes it at once where the route says so, or where this one asks for a longer wait than the route has.
 */
export function afterwards(deps: DecideDeps, state: MessageState, route: Route | undefined, reason: Reason): Decision {
  const { attempt, attemptsBefore, channel, expiresAt } = state
  const { code, detail, retryAfter = millis(0) } = reason
  const policy = route?.retry ?? RETRY[channel]
  const deadline = expiresAt === undefined ? {} : { expiresAt }
  const failure = { attempts: attempt - attemptsBefore, endedAt: deps.clock(), retryAfter, ...deadline }
  const next = afterFailure(failure, policy, deps.dice())
  if (next.kind === 'exhausted') return { fact: { kind: 'DeadLettered', code, detail } }
  const other = policy.failover === true || next.isAdvised ? byAnother(deps, state, route, reason) : undefined
  if (other !== undefined) return other
  if (next.kind === 'expired') return { fact: { kind: 'MessageExpired' } }
  const startsOver = state.avoided === undefined ? {} : { startsOver: true as const }
  return { fact: { kind: 'RetryScheduled', ...told(reason), dueAt: next.at, ...startsOver }, jobAt: next.at }
}
