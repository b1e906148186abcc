/**
 * Which route and provider a message would take now, and why the others are passed over: by the very rules
 * that sending goes by, but nobody is called, and no breaker is asked for leave.
 */
import type { MessageId, ProviderName } from '../../domain/ids.ts'
import { preferenceOf } from '../../domain/routing/preference.ts'
import { type Addressed, findRoute, type Route, type WhyNot, whyNot } from '../../domain/routing/routing.ts'
import type { Instant } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { PlanDeps } from './plan.ts'
import { candidatesOf, isCallable, isCutOff, permitFor } from './routes.ts'

export type ResolveDeps = Pick<PlanDeps, 'clock' | 'routes' | 'providers' | 'breakers'>

/** A provider of the route, and why it is called or is not. `share` is how often it is drawn, where there are weights. */
export type Candidate = Readonly<{ provider: ProviderName; share?: number; verdict: Verdict }>

export type Verdict =
  | Readonly<{ kind: 'chosen' }>
  /** No connection to it is up. */
  | Readonly<{ kind: 'cut_off' }>
  /** Its breaker is open. */
  | Readonly<{ kind: 'held'; until: Instant }>
  /** Another comes before it. */
  | Readonly<{ kind: 'later' }>
  | Readonly<{ kind: 'not_set_up' }>

export type Resolved = Readonly<{
  route?: Route
  /** In the order in which they are tried. */
  candidates: readonly Candidate[]
  excluded: readonly Readonly<{ route: Route; why: WhyNot }>[]
}>

/** With an id it is told of that very message, where its first provider is drawn. */
export function resolveRoute(deps: ResolveDeps, message: Addressed, id?: MessageId): Resolved {
  const routes = deps.routes.of(message.tenantId)
  if (routes === undefined) throw new Unavailable('the routes are not known yet')
  const route = findRoute(routes, message)
  return {
    ...(route === undefined ? {} : { route }),
    candidates: route === undefined ? [] : judge(deps, route, id),
    excluded: routes
      .filter((other) => other !== route)
      .map((other) => ({ route: other, why: whyNot(other, message, route) })),
  }
}

function judge(deps: ResolveDeps, route: Route, id: MessageId | undefined): readonly Candidate[] {
  const able = candidatesOf(route, deps.providers, id === undefined ? {} : { id })
  const chosen = able.find((provider) => isCallable(deps, provider))
  return preferenceOf(route, id).map((name) => {
    const provider = able.find((one) => one.name === name)
    const verdict = provider === undefined ? NOT_SET_UP : verdictOn(deps, provider, chosen)
    return { provider: name, ...shareOf(route, name), verdict }
  })
}

const NOT_SET_UP: Verdict = { kind: 'not_set_up' }

function verdictOn(deps: ResolveDeps, provider: Provider, chosen: Provider | undefined): Verdict {
  if (provider === chosen) return { kind: 'chosen' }
  if (isCutOff(provider)) return { kind: 'cut_off' }
  const leave = permitFor(deps, provider)
  return leave.kind === 'held' ? leave : { kind: 'later' }
}

function shareOf({ providers, weights }: Route, provider: ProviderName): Readonly<{ share?: number }> {
  if (weights === undefined) return {}
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return { share: (weights[providers.indexOf(provider)] ?? 0) / total }
}
