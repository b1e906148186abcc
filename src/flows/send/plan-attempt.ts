/** Plans an attempt: which route and which provider, or why there can be no attempt at all, or none now. */

import type { Check, Fact } from '../../domain/message/events.ts'
import type { Content } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { type Instant, later } from '../../lib/time.ts'
import type { Gate } from '../../ports/queue.ts'
import { type ChooseProviderDeps, type Chosen, candidatesOf, chooseProvider } from './choose-provider.ts'
import { ShownFault } from './dead-letter.ts'
import { type FindRouteDeps, findRouteFor, ROUTES_WAIT } from './find-route.ts'
import { type ValidateDeps, validate } from './validate.ts'

export type PlanDeps = ValidateDeps & FindRouteDeps & ChooseProviderDeps

type Plan = Readonly<{ kind: 'unfit'; fact: Fact }> | Held | Blocked | Fit

/** No provider of the route can be called for now: their breakers are open or their connections are down. */
export type Blocked = Readonly<{ kind: 'blocked'; gate: Gate; route: Route }>

/** This process has not loaded the routes yet. */
type Held = Readonly<{ kind: 'held'; until: Instant }>

/** `checks` are recorded before the attempt. Report the result of the permitted call to the breaker, or that it was not made. */
export type Fit = Chosen & Readonly<{ kind: 'fit'; route: Route; content: Content; checks?: readonly Check[] }>

export async function planAttempt(deps: PlanDeps, state: MessageState, content: Content | undefined): Promise<Plan> {
  if (content === undefined) return failed('ERASED', 'the content was erased before it was sent')
  const validation = await validate(deps, state, content)
  if (validation.kind === 'invalid') return { kind: 'unfit', fact: { ...validation, kind: 'ValidationFailed' } }
  const route = findRouteFor(deps, state, content)
  if (route === 'unloaded') return { kind: 'held', until: later(deps.clock(), ROUTES_WAIT) }
  if (route === 'unmatched') return failed('NO_ROUTE_FOUND', 'no route matches this message')

  const candidates = candidatesOf(route, deps.providers, state)
  const [first, ...others] = candidates.map(({ name }) => name).toSorted()
  if (first === undefined) throw new ShownFault(`route ${route.id} names no configured provider`)
  const chosen = await chooseProvider(deps, candidates)
  if (chosen === undefined) return { kind: 'blocked', gate: [first, ...others], route }
  return { ...chosen, ...validation, kind: 'fit', route, content }
}

const failed = (code: string, detail: string): Plan => ({
  kind: 'unfit',
  fact: { kind: 'HandoffFailed', code, detail },
})
