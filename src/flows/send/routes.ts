/** The routes a worker goes by, and the providers whose turn it is. */

import type { ProviderName, RouteId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { BREAKER, CLOSED, type Permission, permissionOf } from '../../domain/routing/breaker.ts'
import { preferenceOf } from '../../domain/routing/preference.ts'
import { RETRY, type RetryPolicy } from '../../domain/routing/retry.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { type UnknownRule, unknownRuleOf } from '../../domain/routing/unknown.ts'
import type { Clock } from '../../lib/clock.ts'
import { seconds } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { Provider } from '../../ports/provider.ts'
import type { RouteBook } from '../../ports/routes.ts'

/** As much of the book of routes as whoever sends needs. */
export type Routes = Pick<RouteBook, 'of'>

/** How long a message waits that this process knows no routes for yet. */
export const UNROUTED = seconds(1)

/** Whether a provider is called over connections, and none of ours is up. */
export function isCutOff({ connections }: Provider): boolean {
  const { wanted, up } = connections?.() ?? { wanted: 0, up: 0 }
  return wanted > 0 && up === 0
}

export type CallableDeps = Readonly<{ breakers: Pick<Breakers, 'states'>; clock: Clock }>

/** Whether its breaker would let a call pass. No trial is taken from whoever has a message. */
export const permitFor = ({ breakers, clock }: CallableDeps, { name }: Provider): Permission =>
  permissionOf(breakers.states().get(name) ?? CLOSED, clock(), BREAKER)

export const isCallable = (deps: CallableDeps, provider: Provider): boolean =>
  !isCutOff(provider) && permitFor(deps, provider).kind !== 'held'

/** The route that the newest attempt took, if it is still there. */
export const routeTaken = (routes: Routes, { tenantId, routeId }: MessageState): Route | undefined =>
  routes.of(tenantId)?.find(({ id }) => id === routeId)

export const unknownOf = (routes: Routes, state: MessageState): UnknownRule =>
  unknownRuleOf(routeTaken(routes, state), state.lane)

export const retryOf = (routes: Routes, state: MessageState): RetryPolicy =>
  routeTaken(routes, state)?.retry ?? RETRY[state.channel]

type Providers = ReadonlyMap<ProviderName, Provider>

/**
 * Those of the route that are set up here and have not blamed themselves in this cycle, in the order in which
 * the message tries them, those to be avoided last; if all have blamed themselves, the first of them.
 */
export function candidatesOf(
  route: Route,
  providers: Providers,
  { id, excluded = [], avoided = [] }: Partial<Pick<MessageState, 'id' | 'excluded' | 'avoided'>>,
): readonly Provider[] {
  const able = preferenceOf(route, id).flatMap((name) => providers.get(name) ?? [])
  const left = able.filter(({ name }) => !excluded.includes(name))
  if (left.length === 0) return able.slice(0, 1)
  const isAvoided = ({ name }: Provider): boolean => avoided.includes(name)
  return [...left.filter((one) => !isAvoided(one)), ...left.filter(isAvoided)]
}

/** The name of the route for users; a tenant's own must not go by it. */
export const USERS = 'users' as RouteId

/** A user without an address is reached by nobody's route, but only by a provider that knows users. */
export function usersRoute(providers: Providers, channel: Channel): Route | undefined {
  const [first, ...others] = [...providers.values()]
    .filter(({ capabilities: { users, channels } }) => users === true && channels.includes(channel))
    .map(({ name }) => name)
  return first && { id: USERS, channel, providers: [first, ...others] }
}
