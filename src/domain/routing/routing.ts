/** Finds the route of a message: the most specific one that matches. */

import type { Instant } from '../../lib/time.ts'
import type { OperatorId, ProviderName, RouteId, TenantId } from '../ids.ts'
import type { Channel, Kind } from '../message/message.ts'
import type { RetryPolicy } from './retry.ts'
import type { UnknownRule } from './unknown.ts'

export type Route = Readonly<{
  id: RouteId
  operatorId?: OperatorId
  channel: Channel
  /** Each condition narrows the route; a missing one matches everything. */
  tenantId?: TenantId
  kind?: Kind
  sender?: string
  /** A phone prefix (`+55`) or an email domain; the longest match wins. */
  prefix?: string
  /** In order of preference, unless weighted. */
  providers: readonly [ProviderName, ...ProviderName[]]
  /** How often each provider comes first, in the same order; one with weight 0 is only a fallback. */
  weights?: readonly number[]
  retry?: RetryPolicy
  /** The rule for unknown outcomes; missing fields default to the lane's. */
  unknown?: Partial<UnknownRule>
  /** Only of a tenant's own route, not of one of the operator's file. */
  own?: Own
}>

/** `version` changes with every change of any route. */
export type Own = Readonly<{ version: number; createdAt: Instant; updatedAt: Instant }>

/** A route that a tenant created for itself. */
export type OwnRoute = Route & Readonly<{ tenantId: TenantId; own: Own }>

export type Addressed = Readonly<{ tenantId: TenantId; channel: Channel; kind: Kind; to: string; from?: string }>

/** Longest prefix first, then the route with more conditions, then the one listed first. */
export function findRoute(routes: readonly Route[], message: Addressed): Route | undefined {
  let best: Route | undefined
  for (const route of routes) {
    if (misfitOf(route, message) !== undefined) continue
    if (best === undefined || weight(route) > weight(best)) best = route
  }
  return best
}

/** The condition that a message does not meet. */
type Misfit = 'channel' | 'tenant' | 'kind' | 'sender' | 'prefix'

/** Why a route is not taken, even if it matches. `providers`: the tenant may use none of them. */
export type WhyNot = Misfit | 'shorter_prefix' | 'fewer_conditions' | 'listed_later' | 'providers' | 'test_mode'

/** Why a route lost against the one that `findRoute` returned. */
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
