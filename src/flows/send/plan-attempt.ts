/** Plans an attempt: which route and which provider, or why there can be no attempt at all, or none now. */

import type { ProviderName } from '../../domain/ids.ts'
import type { Check, Fact } from '../../domain/message/events.ts'
import type { Content } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import { type Instant, later } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'
import type { Gate } from '../../ports/queue.ts'
import { withoutSimulator } from '../access/unsendable.ts'
import { type ChooseProviderDeps, type Chosen, candidatesOf, chooseProvider } from './choose-provider.ts'
import { ShownFault } from './dead-letter.ts'
import { type FindRouteDeps, findRouteFor, type NoRoute, ROUTES_WAIT } from './find-route.ts'
import { needsValidation, type ValidateDeps, validate } from './validate.ts'

export type PlanDeps = ValidateDeps & FindRouteDeps & ChooseProviderDeps

type Plan = Readonly<{ kind: 'unfit'; fact: Fact }> | Held | Blocked | Fit

/** No provider of the route can be called for now: their breakers are open or their connections are down. */
export type Blocked = Readonly<{ kind: 'blocked'; gate: Gate; route: Route }>

/** This process has not loaded the routes or the tenants yet. */
type Held = Readonly<{ kind: 'held'; until: Instant }>

/** `checks` are recorded before the attempt. Report the result of the permitted call to the breaker, or that it was not made. */
export type Fit = Chosen &
  Readonly<{ kind: 'fit'; route: Route; content: Content; checks: readonly Check[] | undefined }>

export function planAttempt(deps: PlanDeps, state: MessageState, content: Content | undefined): Soon<Plan> {
  if (content === undefined) return failed('ERASED', 'the content was erased before it was sent')
  if (deps.tenants.of(state.tenantId)?.state === 'suspended') return SUSPENDED
  if (!needsValidation(content)) return planValid(deps, state, content, undefined)
  return validate(deps, state, content).then((validation) =>
    validation.kind === 'invalid'
      ? { kind: 'unfit', fact: { ...validation, kind: 'ValidationFailed' } }
      : planValid(deps, state, content, validation.checks),
  )
}

function planValid(deps: PlanDeps, state: MessageState, content: Content, checks: Fit['checks']): Soon<Plan> {
  const route = findRouteFor(deps, state, content)
  if (typeof route === 'string') return withoutRoute(deps, state, route)

  const candidates = candidatesOf(route, deps.providers, state)
  if (candidates.length === 0) throw new ShownFault(`route ${route.id} names no configured provider`)
  return whenReady(chooseProvider(deps, candidates), (chosen) => {
    if (chosen === undefined) return { kind: 'blocked', gate: gateOf(candidates), route }
    const { provider, permit } = chosen
    return { kind: 'fit', provider, permit, route, content, checks }
  })
}

const gateOf = (candidates: readonly Provider[]): Gate =>
  candidates.map(({ name }) => name).toSorted() as [ProviderName, ...ProviderName[]]

function withoutRoute({ clock }: PlanDeps, { channel }: MessageState, why: NoRoute): Plan {
  switch (why) {
    case 'unloaded':
      return { kind: 'held', until: later(clock(), ROUTES_WAIT) }
    case 'unmatched':
      return failed('NO_ROUTE_FOUND', 'no route matches this message')
    case 'not_allowed':
      return failed('NO_ROUTE_FOUND', 'the route that matches this message names no provider that the tenant may use')
    case 'no_simulator':
      return failed('TEST_MODE_UNAVAILABLE', withoutSimulator(channel))
  }
}

/** A dead letter, to be replayed once the tenant is active again. */
const SUSPENDED: Plan = {
  kind: 'unfit',
  fact: { kind: 'DeadLettered', code: 'TENANT_SUSPENDED', detail: 'an operator has suspended the tenant' },
}

const failed = (code: string, detail: string): Plan => ({
  kind: 'unfit',
  fact: { kind: 'HandoffFailed', code, detail },
})
