/** Finds the route of a message: the one it takes next, or the one its newest attempt took. */

import { mayUse } from '../../domain/access/reserved-provider.ts'
import { isTestTenant } from '../../domain/access/test-mode.ts'
import { isUserAddress } from '../../domain/directory/user-address.ts'
import type { ProviderName, RouteId, TenantId } from '../../domain/ids.ts'
import { type Channel, type Content, senderOf } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { allowedPart } from '../../domain/routing/allowed-part.ts'
import { RETRY, type RetryPolicy } from '../../domain/routing/retry.ts'
import { type Addressed, findRoute, type Route } from '../../domain/routing/routing.ts'
import { type UnknownRule, unknownRuleOf } from '../../domain/routing/unknown.ts'
import { seconds } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'
import type { RouteBook } from '../../ports/routes.ts'
import type { Tenants } from '../../ports/tenants.ts'
import { simulatorFor, type UsableProvidersDeps } from '../access/usable-providers.ts'

/** The part of the route book that sending needs. */
export type Routes = Pick<RouteBook, 'of'>

export type FindRouteDeps = Readonly<{
  routes: Routes
  tenants: Pick<Tenants, 'of' | 'isLoaded'>
  providers: ReadonlyMap<ProviderName, Provider>
}>

/** How long a message waits while this process has not loaded the routes or the tenants. */
export const ROUTES_WAIT = seconds(1)

/** The reserved ids of the built-in routes: to users without an address, and in test mode. Tenants cannot use them. */
export const USERS = 'users' as RouteId
export const TEST = 'test' as RouteId

/**
 * Why a message has no route: none matches, the tenant may use no provider of the one that does, there is no simulator
 * for test mode, or this process has not loaded routes and tenants yet.
 */
export type NoRoute = 'unmatched' | 'not_allowed' | 'no_simulator' | 'unloaded'

/** What the route of a message depends on besides its content. */
type Routed = Pick<MessageState, 'tenantId' | 'channel' | 'kind'>

/** With only those providers that the tenant may use. */
export function findRouteFor(deps: FindRouteDeps, state: Routed, content: Content): Route | NoRoute {
  if (!deps.tenants.isLoaded()) return 'unloaded'
  if (isTestTenant(state.tenantId)) return toTestRoute(deps, state.tenantId, state.channel) ?? 'no_simulator'
  const route = isUserAddress(content.to) ? toUsersRoute(deps, state) : findConfigured(deps, state, content)
  if (route === undefined) return 'unmatched'
  return route === 'unloaded' ? route : (usablePart(deps, state.tenantId, route) ?? 'not_allowed')
}

function findConfigured({ routes }: FindRouteDeps, state: Routed, content: Content): Route | 'unloaded' | undefined {
  const known = routes.of(state.tenantId)
  return known === undefined ? 'unloaded' : findRoute(known, toAddressed(state, content))
}

/** The part of a route that the tenant may use; undefined when it may use no provider of it. */
export function usablePart(
  { tenants, providers }: UsableProvidersDeps,
  tenantId: TenantId,
  route: Route,
): Route | undefined {
  const allowed = tenants.of(tenantId)?.providers
  return allowedPart(route, (name) => mayUse(providers.get(name) ?? { name }, tenantId, allowed))
}

/** Whatever the routes say, messages in test mode reach nobody. */
export function toTestRoute(
  deps: Pick<FindRouteDeps, 'providers'>,
  tenantId: TenantId,
  channel: Channel,
): Route | undefined {
  const simulator = simulatorFor(deps, tenantId, channel)
  return simulator && { id: TEST, channel, providers: [simulator.name] }
}

function toAddressed({ tenantId, channel, kind }: Routed, content: Content): Addressed {
  const from = senderOf(content)
  const { to } = content
  return from === undefined ? { tenantId, channel, kind, to } : { tenantId, channel, kind, to, from }
}

/** Only a provider that knows users can reach one without an address, so no configured route applies. */
function toUsersRoute({ providers }: FindRouteDeps, { channel }: Routed): Route | undefined {
  const [first, ...others] = [...providers.values()]
    .filter(({ capabilities: { users, channels } }) => users === true && channels.includes(channel))
    .map(({ name }) => name)
  return first && { id: USERS, channel, providers: [first, ...others] }
}

/** The route that the newest attempt took, if it still exists. The built-in ones have no rules of their own. */
export const routeTaken = (routes: Routes, { tenantId, routeId }: MessageState): Route | undefined =>
  isTestTenant(tenantId) ? undefined : routes.of(tenantId)?.find(({ id }) => id === routeId)

export const unknownRuleFor = (routes: Routes, state: MessageState): UnknownRule =>
  unknownRuleOf(routeTaken(routes, state), state.lane)

export const retryPolicyFor = (routes: Routes, state: MessageState): RetryPolicy =>
  routeTaken(routes, state)?.retry ?? RETRY[state.channel]
