/** Which providers may carry a message. The most specific route that matches decides. */

import type { Instant } from '../../lib/time.ts'
import type { OperatorId, ProviderName, RouteId, TenantId } from '../ids.ts'
import type { Channel, Kind } from '../message/message.ts'
import type { RetryPolicy } from './retry.ts'
import type { UnknownRule } from './unknown.ts'

export type Route = Readonly<{
  id: RouteId
  operatorId?: OperatorId
  channel: Channel
  /** Each further condition narrows the route; a missing one matches everything. */
  tenantId?: TenantId
  kind?: Kind
  sender?: string
  /** The longest phone prefix (`+55`) or email domain that matches wins. */
  prefix?: string
  /** In order of preference, unless there are weights. */
  providers: readonly [ProviderName, ...ProviderName[]]
  /** How often each of them comes first, in the same order; one of weight 0 only stands in for the others. */
  weights?: readonly number[]
  retry?: RetryPolicy
  /** What it says of unknown outcomes; the rest is the lane's own rule. */
  unknown?: Partial<UnknownRule>
  /** What is known of a route that a tenant made; one of the operator's file has none of it. */
  own?: Own
}>

/** The version is another one after every change, of whichever route. */
export type Own = Readonly<{ version: number; createdAt: Instant; updatedAt: Instant }>

/** A route that a tenant made, for itself alone. */
export type OwnRoute = Route & Readonly<{ tenantId: TenantId; own: Own }>

export type Addressed = Readonly<{ tenantId: TenantId; channel: Channel; kind: Kind; to: string; from?: string }>

/** Longest prefix first, then the route with more conditions, then the one listed first. */
export function findRoute(routes: readonly Route[], message: Addressed): Route | undefined {
  return routes
    .filter((route) => misfitOf(route, message) === undefined)
    .reduce<Route | undefined>(
      (best, route) => (best === undefined || weight(route) > weight(best) ? route : best),
      undefined,
    )
}

/** The condition of a route that a message does not meet. */
export type Misfit = 'channel' | 'tenant' | 'kind' | 'sender' | 'prefix'

/** Why a route is not taken, though it may fit. */
export type WhyNot = Misfit | 'shorter_prefix' | 'fewer_conditions' | 'listed_later'

/** Why a route is not the one that `findRoute` has found. */
export function whyNot(route: Route, message: Addressed, found: Route | undefined): WhyNot {
  const misfit = misfitOf(route, message)
  if (misfit !== undefined) return misfit
  if (found === undefined || weight(route) === weight(found)) return 'listed_later'
  return lengthOf(route.prefix) < lengthOf(found.prefix) ? 'shorter_prefix' : 'fewer_conditions'
}

function misfitOf(route: Route, message: Addressed): Misfit | undefined {
  if (route.channel !== message.channel) return 'channel'
  if ((route.tenantId ?? message.tenantId) !== message.tenantId) return 'tenant'
  if ((route.kind ?? message.kind) !== message.kind) return 'kind'
  if ((route.sender ?? message.from) !== message.from) return 'sender'
  return route.prefix === undefined || covers(route.prefix, message) ? undefined : 'prefix'
}

const covers = (prefix: string, { channel, to }: Addressed): boolean =>
  channel === 'sms' ? to.startsWith(prefix) : to.endsWith(`@${prefix}`) || to.endsWith(`.${prefix}`)

function weight({ prefix, tenantId, kind, sender }: Route): number {
  const conditions = [tenantId, kind, sender].filter((condition) => condition !== undefined).length
  return lengthOf(prefix) * 4 + conditions
}

const lengthOf = (prefix = ''): number => prefix.length
