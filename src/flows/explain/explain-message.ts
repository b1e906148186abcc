/** Explains a message: collects what surrounds it, following the same rules as sending, and leaves the sentences to the domain. */
import type { Circumstances } from '../../domain/explanation/circumstances.ts'
import { type Explanation, explain } from '../../domain/explanation/explanation.ts'
import type { ProviderName } from '../../domain/ids.ts'
import type { LimitStatus } from '../../domain/limits/limits.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Content } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Millis } from '../../lib/time.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Depth, Queue } from '../../ports/queue.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { findUser } from '../send/admit-resend.ts'
import { candidatesOf, depsFor } from '../send/choose-provider.ts'
import { type CounterDeps, findCounters } from '../send/find-counters.ts'
import { type FindRouteDeps, findRouteFor, type NoRoute, retryPolicyFor, unknownRuleFor } from '../send/find-route.ts'
import type { PlanDeps } from '../send/plan-attempt.ts'
import {
  depthOf,
  type MessageQuotaStanding,
  messageQuotasOf,
  orUndefined,
  type QuotaStandingDeps,
  standingOf,
  statusesOf,
} from './standing.ts'

export type ExplainMessageDeps = FindRouteDeps &
  Pick<PlanDeps, 'breakers' | 'clock'> &
  CounterDeps &
  QuotaStandingDeps &
  Readonly<{
    queue: Pick<Queue, 'depth'>
    limiter: Pick<Limiter, 'status'>
    recipients: Pick<Recipients, 'find'>
    /** After this time an attempt counts as abandoned. */
    attemptLease: Millis
  }>

export type Explained = Readonly<{
  circumstances: Circumstances
  explanation: Explanation
  /** Of the tenant's lane, while the message waits for a worker. */
  depth?: Depth
  /** What a resend would meet; missing while it is in progress, and while it cannot be read. */
  limits?: readonly LimitStatus[]
  quotas?: readonly MessageQuotaStanding[]
}>

/** `content` is missing after erasure, `events` are the newest. */
export type Known = Readonly<{ state: MessageState; events: readonly MessageEvent[]; content?: Content | undefined }>

export async function explainMessage(shared: ExplainMessageDeps, known: Known): Promise<Explained> {
  const { state } = known
  const deps = depsFor(shared, state.tenantId)
  const isOver = isHandoffOver(state.handoffState)
  const [depth, limits, quotas] = await Promise.all([
    isOver ? undefined : orUndefined(depthOf(deps, state)),
    isOver ? orUndefined(limitsOfResend(deps, known)) : undefined,
    isOver ? messageQuotasOf(deps, state.tenantId) : undefined,
  ])
  const circumstances = circumstancesOf(deps, known, depth)
  return { circumstances, explanation: explain(circumstances), ...omitUndefined({ depth, limits, quotas }) }
}

function circumstancesOf(deps: ExplainMessageDeps, known: Known, lane: Depth | undefined): Circumstances {
  const { state, events, content } = known
  const found = content === undefined || isHandoffOver(state.handoffState) ? undefined : routeOf(deps, state, content)
  const route = typeof found === 'object' ? { id: found.id } : found
  return {
    state,
    events,
    now: deps.clock(),
    lease: deps.attemptLease,
    isSuspended: deps.tenants.of(state.tenantId)?.state === 'suspended',
    providers: typeof found === 'object' ? providersOf(deps, found, state).map((name) => standingOf(deps, name)) : [],
    maxAttempts: retryPolicyFor(deps.routes, withRoute(state, found)).maxAttempts,
    unknownRule: unknownRuleFor(deps.routes, state),
    ...omitUndefined({ route, asked: askedOf(deps, state), lane }),
  }
}

const routeOf = (deps: ExplainMessageDeps, state: MessageState, content: Content): Route | NoRoute =>
  findRouteFor(deps, state, content)

/** Before its first attempt it has taken no route yet. */
const withRoute = (state: MessageState, found: Route | NoRoute | undefined): MessageState =>
  state.routeId === undefined && typeof found === 'object' ? { ...state, routeId: found.id } : state

/** In the order in which the message tries them; those that are not configured come last. */
function providersOf({ providers }: ExplainMessageDeps, route: Route, state: MessageState): readonly ProviderName[] {
  const candidates = candidatesOf(route, providers, state).map(({ name }) => name)
  return [...candidates, ...route.providers.filter((name) => !providers.has(name))]
}

function askedOf({ providers }: ExplainMessageDeps, { provider: name }: MessageState): Circumstances['asked'] {
  const provider = name === undefined ? undefined : providers.get(name)
  return provider && { canBeAsked: provider.lookup !== undefined, reports: provider.capabilities.reports }
}

/** A resend counts like a send. An erased message cannot be resent. */
async function limitsOfResend(
  deps: ExplainMessageDeps,
  { state: { tenantId, accountId }, content }: Known,
): Promise<readonly LimitStatus[]> {
  if (content === undefined) return []
  const hasUsers = deps.rules.scopes(tenantId).has('user')
  const user = hasUsers ? await findUser(deps, tenantId, content) : undefined
  return statusesOf(deps, await findCounters(deps, { tenantId, accountId, to: content.to, user }))
}
