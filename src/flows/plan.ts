/** What an attempt at a message would be: by which route, to which provider; or why there can be none, or none now. */
import type { Pass } from '../domain/breaker.ts'
import type { Fact } from '../domain/events.ts'
import type { ProviderName } from '../domain/ids.ts'
import type { Content } from '../domain/message.ts'
import { findRoute, type Route } from '../domain/routing.ts'
import type { MessageState } from '../domain/state.ts'
import { type Instant, instant } from '../domain/time.ts'
import { isUserAddress } from '../domain/user-address.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { Provider } from '../ports/provider.ts'
import type { Recipients } from '../ports/recipients.ts'
import type { Clock } from '../ports/world.ts'
import { candidatesOf, usersRoute } from './routes.ts'
import { validate } from './validate.ts'

export type PlanDeps = Readonly<{
  clock: Clock
  routes: readonly Route[]
  providers: ReadonlyMap<ProviderName, Provider>
  breakers: Breakers
  /** The directory, where there is one. */
  recipients?: Pick<Recipients, 'find'>
}>

export type Plan =
  | Readonly<{ kind: 'unfit'; fact: Fact }>
  /** Every provider of its route is left alone for now. */
  | Readonly<{ kind: 'held'; until: Instant }>
  | Fit

/** `pass` must be told how the call ended, or that it was not made. */
export type Fit = Readonly<{ kind: 'fit'; route: Route; provider: Provider; pass: Pass; content: Content }>

export async function plan(deps: PlanDeps, state: MessageState, content: Content | undefined): Promise<Plan> {
  if (content === undefined) return failed('ERASED', 'the content was erased before it was sent')
  const { recipients } = deps
  if (content.recipientId !== undefined && recipients !== undefined) {
    const invalid = await validate({ recipients }, state, content)
    if (invalid !== undefined) return { kind: 'unfit', fact: { kind: 'ValidationFailed', ...invalid } }
  }
  const route = routeOf(deps, state, content)
  return route === undefined
    ? failed('NO_ROUTE_FOUND', 'no route matches this message')
    : choose(deps, state, content, route)
}

const failed = (code: string, detail: string): Plan => ({
  kind: 'unfit',
  fact: { kind: 'HandoffFailed', code, detail },
})

function routeOf({ routes, providers }: PlanDeps, state: MessageState, { to, from }: Content): Route | undefined {
  const { tenantId, channel, kind } = state
  if (isUserAddress(to)) return usersRoute(providers, channel)
  return findRoute(routes, { tenantId, channel, kind, to, ...(from === undefined ? {} : { from }) })
}

/** The first provider whose breaker lets us pass. */
async function choose(deps: PlanDeps, state: MessageState, content: Content, route: Route): Promise<Plan> {
  let until = state.expiresAt ?? NEVER
  for (const name of candidatesOf(route, state)) {
    const provider = deps.providers.get(name)
    if (provider === undefined) throw new Error(`route ${route.id} names a provider that is not set up`)
    const leave = await deps.breakers.ask(name, deps.clock())
    if (leave.kind !== 'held') return { kind: 'fit', route, provider, pass: leave, content }
    if (leave.until < until) until = leave.until
  }
  return { kind: 'held', until }
}

const NEVER = instant(Number.POSITIVE_INFINITY)
