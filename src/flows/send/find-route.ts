/** Finds the route of a message: the one it takes next, or the one its newest attempt took. */

import { isUserAddress } from '../../domain/directory/user-address.ts'
import type { ProviderName, RouteId } from '../../domain/ids.ts'
import { type Content, senderOf } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { RETRY, type RetryPolicy } from '../../domain/routing/retry.ts'
import { type Addressed, findRoute, type Route } from '../../domain/routing/routing.ts'
import { type UnknownRule, unknownRuleOf } from '../../domain/routing/unknown.ts'
import { seconds } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'
import type { RouteBook } from '../../ports/routes.ts'

/** The part of the route book that sending needs. */
export type Routes = Pick<RouteBook, 'of'>

export type FindRouteDeps = Readonly<{ routes: Routes; providers: ReadonlyMap<ProviderName, Provider> }>

/** How long a message waits while this process has not loaded the routes. */
export const ROUTES_WAIT = seconds(1)

/** The reserved id of the route to users without an address; tenants cannot use it. */
export const USERS = 'users' as RouteId

/** `unmatched` when no route matches, `unloaded` while this process has not loaded the routes. */
export function findRouteFor(
  deps: FindRouteDeps,
  state: MessageState,
  content: Content,
): Route | 'unmatched' | 'unloaded' {
  if (isUserAddress(content.to)) return toUsersRoute(deps, state) ?? 'unmatched'
  const routes = deps.routes.of(state.tenantId)
  return routes === undefined ? 'unloaded' : (findRoute(routes, toAddressed(state, content)) ?? 'unmatched')
}

function toAddressed({ tenantId, channel, kind }: MessageState, content: Content): Addressed {
  const from = senderOf(content)
  const { to } = content
  return from === undefined ? { tenantId, channel, kind, to } : { tenantId, channel, kind, to, from }
}

/** Only a provider that knows users can reach one without an address, so no configured route applies. */
function toUsersRoute({ providers }: FindRouteDeps, { channel }: MessageState): Route | undefined {
  const [first, ...others] = [...providers.values()]
    .filter(({ capabilities: { users, channels } }) => users === true && channels.includes(channel))
    .map(({ name }) => name)
  return first && { id: USERS, channel, providers: [first, ...others] }
}

/** The route that the newest attempt took, if it still exists. */
export const routeTaken = (routes: Routes, { tenantId, routeId }: MessageState): Route | undefined =>
  routes.of(tenantId)?.find(({ id }) => id === routeId)

export const unknownRuleFor = (routes: Routes, state: MessageState): UnknownRule =>
  unknownRuleOf(routeTaken(routes, state), state.lane)

export const retryPolicyFor = (routes: Routes, state: MessageState): RetryPolicy =>
  routeTaken(routes, state)?.retry ?? RETRY[state.channel]
