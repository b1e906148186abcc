/** What an attempt at a message would be: by which route, to which provider; or why there can be none, or none now. */
import type { Pass } from '../domain/breaker.ts'
import type { Check, Fact } from '../domain/events.ts'
import type { ProviderName } from '../domain/ids.ts'
import { type Content, senderOf } from '../domain/message.ts'
import { type Addressed, findRoute, type Route } from '../domain/routing.ts'
import type { MessageState } from '../domain/state.ts'
import { type Instant, instant, later } from '../domain/time.ts'
import { isUserAddress } from '../domain/user-address.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { Provider } from '../ports/provider.ts'
import { ShownFault } from './dead-letter.ts'
import { CUT_OFF, candidatesOf, isCutOff, type Routes, UNROUTED, usersRoute } from './routes.ts'
import { type ValidateDeps, validate } from './validate.ts'

export type PlanDeps = ValidateDeps &
  Readonly<{ routes: Routes; providers: ReadonlyMap<ProviderName, Provider>; breakers: Breakers }>

export type Plan = Readonly<{ kind: 'unfit'; fact: Fact }> | Held | Fit

/** Every provider of its route is left alone or out of reach for now, `by` for the shortest time; or nobody here knows the routes yet. */
export type Held = Readonly<{ kind: 'held'; until: Instant; by?: ProviderName; route?: Route }>

/** `pass` must be told how the call ended, or that it was not made. `checks` are to be told of before it is. */
export type Fit = Readonly<{
  kind: 'fit'
  route: Route
  provider: Provider
  pass: Pass
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
async function choose(deps: PlanDeps, state: MessageState, content: Content, route: Route): Promise<Held | Fit> {
  const candidates = candidatesOf(route, deps.providers, state)
  if (candidates.length === 0) throw new ShownFault(`route ${route.id} names no provider that is set up`)
  let held: Held = { kind: 'held', until: state.expiresAt ?? NEVER, route }
  for (const provider of candidates) {
    const leave = isCutOff(provider) ? soon(deps) : await deps.breakers.ask(provider.name, deps.clock())
    if (leave.kind !== 'held') return { kind: 'fit', route, provider, pass: leave, content }
    if (leave.until < held.until) held = { ...leave, by: provider.name, route }
  }
  return held
}

/** Connections come back by themselves, and nothing is used up by waiting for them. */
const soon = ({ clock }: PlanDeps) => ({ kind: 'held', until: later(clock(), CUT_OFF) }) as const

const NEVER = instant(Number.POSITIVE_INFINITY)
