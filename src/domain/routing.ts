/** Which providers may carry a message. The most specific route that matches decides. */
import type { OperatorId, ProviderName, RouteId, TenantId } from './ids.ts'
import type { Channel, Kind } from './message.ts'
import type { RetryPolicy } from './retry.ts'
import type { Millis } from './time.ts'

/** What to do, after a wait, with an attempt nobody can tell the outcome of. */
export type DoubtPolicy = 'resend' | 'failover' | 'hold'

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
  /** In order of preference. */
  providers: readonly [ProviderName, ...ProviderName[]]
  retry?: RetryPolicy
  doubt: Readonly<{ wait: Millis; policy: DoubtPolicy }>
}>

export type Addressed = Readonly<{ tenantId: TenantId; channel: Channel; kind: Kind; to: string; from?: string }>

/** Longest prefix first, then the route with more conditions, then the one listed first. */
export function findRoute(routes: readonly Route[], message: Addressed): Route | undefined {
  return routes
    .filter((route) => matches(route, message))
    .reduce<Route | undefined>(
      (best, route) => (best === undefined || weight(route) > weight(best) ? route : best),
      undefined,
    )
}

function matches(route: Route, message: Addressed): boolean {
  return (
    route.channel === message.channel &&
    (route.tenantId ?? message.tenantId) === message.tenantId &&
    (route.kind ?? message.kind) === message.kind &&
    (route.sender ?? message.from) === message.from &&
    (route.prefix === undefined || covers(route.prefix, message))
  )
}

const covers = (prefix: string, { channel, to }: Addressed): boolean =>
  channel === 'sms' ? to.startsWith(prefix) : to.endsWith(`@${prefix}`) || to.endsWith(`.${prefix}`)

function weight({ prefix, tenantId, kind, sender }: Route): number {
  const conditions = [tenantId, kind, sender].filter((condition) => condition !== undefined).length
  return (prefix?.length ?? 0) * 4 + conditions
}
