/** What is to be recorded after a call to a provider: the attempt is over, or is to be made again, here or elsewhere. */
import type { Fact } from '../domain/events.ts'
import type { ProviderName } from '../domain/ids.ts'
import type { SendOutcome } from '../domain/outcome.ts'
import { afterFailure, RETRY } from '../domain/retry.ts'
import type { Route } from '../domain/routing.ts'
import type { MessageState } from '../domain/state.ts'
import { isExpired } from '../domain/step.ts'
import { later, type Millis, millis, seconds } from '../domain/time.ts'
import type { Provider } from '../ports/provider.ts'
import type { Clock, Dice } from '../ports/world.ts'
import type { Circumstances } from './record.ts'

export type DecideDeps = Readonly<{ clock: Clock; dice: Dice; providers: ReadonlyMap<ProviderName, Provider> }>

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
      const reconcileAt = later(deps.clock(), route.doubt.wait)
      return { fact: { kind: 'HandoffUnknown', code, detail, reconcileAt }, jobAt: reconcileAt }
    }
  }
}

/** An attempt that has failed for good, and why. */
const unfit = (code: string, detail: string): Decision => ({ fact: { kind: 'HandoffFailed', code, detail } })

type Reason = Readonly<{ code: string; detail: string }>

/** The provider blames itself: the route's next one is asked at once, and when none is left the message fails. */
export function elsewhere(
  deps: Pick<DecideDeps, 'clock' | 'providers'>,
  state: MessageState,
  route: Route,
  { code, detail }: Reason,
): Decision {
  if (state.provider === undefined || !isAnotherLeft(deps, state, route)) return unfit(code, detail)
  return {
    fact: { kind: 'RetryScheduled', code, detail, dueAt: deps.clock(), passOver: state.provider },
    jobAt: 'now',
  }
}

function isAnotherLeft({ providers }: Pick<DecideDeps, 'providers'>, state: MessageState, route: Route): boolean {
  const passed = [...(state.passedOver ?? []), state.provider]
  return route.providers.some((name) => providers.has(name) && !passed.includes(name))
}

/** What an account may not do now it may hardly do sooner, whatever wait the provider names. */
const LEAST_ACCOUNT_WAIT = seconds(60)

/** Our account there may not send for now: another takes over, or the message waits and has lost no attempt. */
function elsewhereOrLater(
  deps: DecideDeps,
  state: MessageState,
  route: Route,
  { code, detail, retryAfter }: Extract<SendOutcome, { kind: 'deferred' }>,
): Decision {
  if (isAnotherLeft(deps, state, route)) return spared(elsewhere(deps, state, route, { code, detail }))
  const dueAt = later(deps.clock(), millis(Math.max(retryAfter, LEAST_ACCOUNT_WAIT)))
  if (isExpired(state, dueAt)) return { fact: { kind: 'MessageExpired' } }
  return spared({ fact: { kind: 'RetryScheduled', code, detail, dueAt }, jobAt: dueAt })
}

const spared = ({ fact, ...rest }: Decision): Decision =>
  fact.kind === 'RetryScheduled' ? { ...rest, fact: { ...fact, spared: true } } : { ...rest, fact }

/** The provider certainly does not have it: try again later, while there are attempts and time left. */
export function afterwards(
  { clock, dice }: Pick<DecideDeps, 'clock' | 'dice'>,
  state: MessageState,
  route: Route | undefined,
  { code, detail, retryAfter = millis(0) }: Reason & { retryAfter?: Millis },
): Decision {
  const { attempt, attemptsBefore, channel, expiresAt } = state
  const deadline = expiresAt === undefined ? {} : { expiresAt }
  const failure = { attempts: attempt - attemptsBefore, endedAt: clock(), retryAfter, ...deadline }
  const next = afterFailure(failure, route?.retry ?? RETRY[channel], dice())
  switch (next.kind) {
    case 'retry':
      return { fact: { kind: 'RetryScheduled', code, detail, dueAt: next.at }, jobAt: next.at }
    case 'exhausted':
      return { fact: { kind: 'DeadLettered', code, detail } }
    case 'expired':
      return { fact: { kind: 'MessageExpired' } }
  }
}
