/** What an attempt at a message would be: by which route, to which provider; or why there can be none, or none now. */

import { isUserAddress } from '../../domain/directory/user-address.ts'
import type { ProviderName } from '../../domain/ids.ts'
import type { Check, Fact } from '../../domain/message/events.ts'
import { type Content, senderOf } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Permit } from '../../domain/routing/breaker.ts'
import { type Addressed, findRoute, type Route } from '../../domain/routing/routing.ts'
import { type Instant, later } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { Provider } from '../../ports/provider.ts'
import type { Gate } from '../../ports/queue.ts'
import { ShownFault } from './dead-letter.ts'
import { candidatesOf, isCutOff, type Routes, UNROUTED, usersRoute } from './routes.ts'
import { type ValidateDeps, validate } from './validate.ts'

export type PlanDeps = ValidateDeps &
  Readonly<{ routes: Routes; providers: ReadonlyMap<ProviderName, Provider>; breakers: Breakers }>

export type Plan = Readonly<{ kind: 'unfit'; fact: Fact }> | Held | Shut | Fit

/** No provider of its route can be called for now: the breaker is open or no connection is up. Waits at the gate of all of them. */
export type Shut = Readonly<{ kind: 'shut'; gate: Gate; route: Route }>

/** This process does not know the routes yet. */
export type Held = Readonly<{ kind: 'held'; until: Instant }>

/** `pass` must be told how the call ended, or that it was not made. `checks` are to be told of before it is. */
export type Fit = Readonly<{
  kind: 'fit'
  route: Route
  provider: Provider
  pass: Permit
  content: Content
  checks?: readonly Check[]
}>

export async function plan(deps: PlanDeps, state: MessageState, content: Content | undefined): Promise<Plan> {
  if (content === undefined) return failed('ERASED', 'the content was erased before it was sent')
  const validation = await validate(deps, state, content)
  if (validation.kind === 'invalid') return { kind: 'unfit', fact: { ...validation, kind: 'ValidationFailed' } }
  const routes = routesFor(deps, state, content)
  if (routes === undefined) return { kind: 'held', until: later(deps.clock(), UNROUTED) }
  const route = findRoute(routes, toAddressed(state, content))
  if (route === undefined) return failed('NO_ROUTE_FOUND', 'no route matches this message')
  const chosen = await choose(deps, state, content, route)
  return chosen.kind === 'fit' ? { ...chosen, ...validation, kind: 'fit' } : chosen
}

const failed = (code: string, detail: string): Plan => ({
  kind: 'unfit',
  fact: { kind: 'HandoffFailed', code, detail },
})

function routesFor({ routes, providers }: PlanDeps, { tenantId, channel }: MessageState, { to }: Content) {
  if (!isUserAddress(to)) return routes.of(tenantId)
  const route = usersRoute(providers, channel)
  return route === undefined ? [] : [route]
}

function toAddressed({ tenantId, channel, kind }: MessageState, content: Content): Addressed {
  const from = senderOf(content)
  return { tenantId, channel, kind, to: content.to, ...(from === undefined ? {} : { from }) }
}

/** The first provider that can be reached and whose breaker lets us pass. */
async function choose(deps: PlanDeps, state: MessageState, content: Content, route: Route): Promise<Shut | Fit> {
  const candidates = candidatesOf(route, deps.providers, state)
  const [first, ...others] = candidates.map(({ name }) => name).toSorted()
  if (first === undefined) throw new ShownFault(`route ${route.id} names no provider that is set up`)
  for (const provider of candidates) {
    if (isCutOff(provider)) continue
    const leave = await deps.breakers.ask(provider.name, deps.clock())
    if (leave.kind !== 'held') return { kind: 'fit', route, provider, pass: leave, content }
  }
  return { kind: 'shut', gate: [first, ...others], route }
}
