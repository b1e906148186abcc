/** One attempt: route, claim by appending `HandoffAttempted`, call the provider, append the outcome. */
import type { Fact } from '../domain/events.ts'
import type { ProviderName } from '../domain/ids.ts'
import type { Content } from '../domain/message.ts'
import type { SendOutcome } from '../domain/outcome.ts'
import { afterFailure, RETRY } from '../domain/retry.ts'
import { findRoute, type Route } from '../domain/routing.ts'
import type { MessageState } from '../domain/state.ts'
import type { Worker } from '../domain/step.ts'
import { later, type Millis, millis } from '../domain/time.ts'
import type { Loaded } from '../ports/event-log.ts'
import type { Attempt, Provider } from '../ports/provider.ts'
import type { Taken } from '../ports/queue.ts'
import type { Dice } from '../ports/world.ts'
import { later as again, type Disposition, DONE, GONE } from './disposition.ts'
import { advance, type Circumstances, type RecordDeps, record, type Seen, toSeen } from './record.ts'
import { providerOf } from './routes.ts'

export type AttemptDeps = RecordDeps &
  Readonly<{
    dice: Dice
    routes: readonly Route[]
    providers: ReadonlyMap<ProviderName, Provider>
    worker: Worker
    /** How long a provider may take to answer. */
    timeout: Millis
  }>

export type Decision = Readonly<{ fact: Fact } & Circumstances>

/** An attempt that cannot even be made, and why. */
const unfit = (code: string, detail: string): Decision => ({ fact: { kind: 'HandoffFailed', code, detail } })

export async function attempt(deps: AttemptDeps, loaded: Loaded, taken: Taken): Promise<Disposition> {
  const seen = toSeen(loaded)
  const plan = toPlan(deps, seen.state, loaded.content)
  if (plan.kind === 'unfit') {
    const result = await record(deps, seen, plan.decision.fact, { ends: taken })
    return result.kind === 'recorded' ? GONE : again(deps.clock())
  }
  const { route, provider, content } = plan
  const { operatorId } = route
  const claim = await record(deps, seen, {
    kind: 'HandoffAttempted',
    provider: provider.name,
    routeId: route.id,
    owner: deps.worker.owner,
    ...(operatorId === undefined ? {} : { operatorId }),
  })
  // Somebody was faster: look again at what the message wants now.
  if (claim.kind !== 'recorded') return again(deps.clock())

  const outcome = isLate(deps, claim.seen.state)
    ? LATE
    : await call(provider, toAttempt(deps, claim.seen.state, content), deps.timeout)
  return conclude(deps, claim.seen, outcome, { route, taken })
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

type Plan =
  | Readonly<{ kind: 'unfit'; decision: Decision }>
  | Readonly<{ kind: 'fit'; route: Route; provider: Provider; content: Content }>

function toPlan(deps: AttemptDeps, state: MessageState, content: Content | undefined): Plan {
  if (content === undefined)
    return { kind: 'unfit', decision: unfit('ERASED', 'the content was erased before it was sent') }
  const { tenantId, channel, kind } = state
  const { to, from } = content
  const route = findRoute(deps.routes, { tenantId, channel, kind, to, ...(from === undefined ? {} : { from }) })
  if (route === undefined) return { kind: 'unfit', decision: unfit('NO_ROUTE_FOUND', 'no route matches this message') }
  const provider = deps.providers.get(providerOf(route, state) ?? route.providers[0])
  if (provider === undefined) throw new Error(`route ${route.id} names a provider that is not set up`)
  return { kind: 'fit', route, provider, content }
}

function toAttempt({ ids }: AttemptDeps, state: MessageState, content: Content): Attempt {
  const { id: messageId, cycle, attempt, tenantId, encoding, segments, expiresAt, traceId } = state
  const ref = { messageId, cycle, attempt }
  const deadline = expiresAt === undefined ? {} : { expiresAt }
  return { id: ids.attemptId(ref), ref, tenantId, content, encoding, segments, traceId, ...deadline }
}

type Errand = Readonly<{ route: Route; taken: Taken }>

/**
 * A receipt may have told the outcome before the answer came; then there is nothing left to say. An
 * answer that comes after the attempt was given up for lost still ends the doubt.
 */
async function conclude(deps: AttemptDeps, claimed: Seen, outcome: SendOutcome, errand: Errand): Promise<Disposition> {
  const { recorded } = await advance(deps, claimed, (state) =>
    state.attempt === claimed.state.attempt && (state.phase === 'open' || state.phase === 'doubt')
      ? { ...decide(deps, state, errand.route, outcome), ends: errand.taken }
      : undefined,
  )
  return recorded ? GONE : DONE
}

function decide(deps: AttemptDeps, state: MessageState, route: Route, outcome: SendOutcome): Decision {
  switch (outcome.kind) {
    case 'accepted':
      return { fact: { kind: 'HandoffAccepted', providerMessageId: outcome.providerMessageId, by: 'answer' } }
    case 'rejected':
      return outcome.blame === 'message' ? unfit(outcome.code, outcome.detail) : elsewhere(deps, state, route, outcome)
    case 'deferred':
      return afterwards(deps, state, route, outcome)
    case 'unknown': {
      const { code, detail } = outcome
      const reconcileAt = later(deps.clock(), route.doubt.wait)
      return { fact: { kind: 'HandoffUnknown', code, detail, reconcileAt }, jobAt: reconcileAt }
    }
  }
}

type Reason = Readonly<{ code: string; detail: string }>

/** The provider blames itself: the route's next one is asked at once, and when none is left the message fails. */
export function elsewhere(
  deps: Pick<AttemptDeps, 'clock'>,
  state: MessageState,
  route: Route,
  { code, detail }: Reason,
): Decision {
  const passed = [...(state.passedOver ?? []), state.provider]
  const next = route.providers.find((name) => !passed.includes(name))
  if (next === undefined || state.provider === undefined) return unfit(code, detail)
  return {
    fact: { kind: 'RetryScheduled', code, detail, dueAt: deps.clock(), passOver: state.provider },
    jobAt: 'now',
  }
}

/** The provider certainly does not have it: try again later, while there are attempts and time left. */
export function afterwards(
  { clock, dice }: Pick<AttemptDeps, 'clock' | 'dice'>,
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
