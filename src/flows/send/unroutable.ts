/** What is refused at the edge because no provider would carry it: the routes are known there, too. */
import type { Refusal } from '../errors.ts'
import { refuse } from '../errors.ts'
import type { Submission } from './accept.ts'
import { type FindRouteDeps, findRouteFor } from './find-route.ts'

/** Undefined if a provider would be found now, and while this process has not loaded the routes: the worker decides then. */
export function unroutable(deps: FindRouteDeps, { tenantId, content }: Submission): Refusal | undefined {
  const { channel, kind } = content
  const route = findRouteFor(deps, { tenantId, channel, kind }, content)
  switch (route) {
    case 'unloaded':
      return undefined
    case 'unmatched':
      return noRoute('no route matches this message; POST /v1/routes/resolve tells why')
    case 'not_allowed':
      return noRoute('the route of this message names no provider that the tenant may use')
    case 'no_simulator':
      return noRoute('no simulator is configured for it')
    default:
      return route.providers.some((name) => deps.providers.has(name))
        ? undefined
        : noRoute(`the route ${route.id} names no configured provider`)
  }
}

const noRoute = (why: string): Refusal => refuse('NO_ROUTE_FOUND', `Not accepted: ${why}`)
