/**
 * Finds out which route and provider a message would take now, and why not the others. It follows the same rules as
 * sending, but calls no provider and uses no permit.
 */
import { isTestTenant } from '../../domain/access/test-mode.ts'
import type { MessageId, ProviderName } from '../../domain/ids.ts'
import { preferenceOf } from '../../domain/routing/preference.ts'
import { type Addressed, findRoute, type Route, type WhyNot, whyNot } from '../../domain/routing/routing.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { candidatesOf, depsFor, isCallable, isDisconnected, permissionFor } from './choose-provider.ts'
import { toTestRoute, usablePart } from './find-route.ts'
import type { PlanDeps } from './plan-attempt.ts'

export type ResolveDeps = Pick<PlanDeps, 'clock' | 'routes' | 'tenants' | 'providers' | 'breakers'>

/** A provider of the route and the verdict on it. `share` is how often it is drawn, if weighted. */
export type Candidate = Readonly<{ provider: ProviderName; share?: number; verdict: Verdict }>

type Verdict =
  | Readonly<{ kind: 'chosen' }>
  /** All its connections are down. */
  | Readonly<{ kind: 'cut_off' }>
  /** Its breaker is open. */
  | Readonly<{ kind: 'held'; until: Instant }>
  /** Another provider is preferred. */
  | Readonly<{ kind: 'later' }>
  | Readonly<{ kind: 'not_set_up' }>

export type Resolved = Readonly<{
  /** With only those providers that the tenant may use. */
  route?: Route
  /** In the order they are tried. */
  candidates: readonly Candidate[]
  excluded: readonly Readonly<{ route: Route; why: WhyNot }>[]
}>

/** With an id, resolves the provider that this very message draws. */
export function resolveRoute(shared: ResolveDeps, message: Addressed, id?: MessageId): Resolved {
  const deps = depsFor(shared, message.tenantId)
  const routes = deps.tenants.isLoaded() ? deps.routes.of(message.tenantId) : undefined
  if (routes === undefined) throw new Unavailable('the routes are not loaded yet')
  const matching = isTestTenant(message.tenantId) ? undefined : findRoute(routes, message)
  const route = isTestTenant(message.tenantId)
    ? toTestRoute(deps, message.tenantId, message.channel)
    : matching && usablePart(deps, message.tenantId, matching)
  return {
    ...omitUndefined({ route }),
    candidates: route === undefined ? [] : judge(deps, route, id),
    excluded: routes
      .filter((other) => other !== matching || route === undefined)
      .map((other) => ({ route: other, why: whyExcluded(other, message, matching) })),
  }
}

function whyExcluded(route: Route, message: Addressed, matching: Route | undefined): WhyNot {
  if (isTestTenant(message.tenantId)) return 'test_mode'
  return route === matching ? 'providers' : whyNot(route, message, matching)
}

function judge(deps: ResolveDeps, route: Route, id: MessageId | undefined): readonly Candidate[] {
  const candidates = candidatesOf(route, deps.providers, omitUndefined({ id }))
  const chosen = candidates.find((provider) => isCallable(deps, provider))
  return preferenceOf(route, id).map((name) => {
    const provider = candidates.find((one) => one.name === name)
    const verdict = provider === undefined ? NOT_SET_UP : verdictOn(deps, provider, chosen)
    return { provider: name, ...shareOf(route, name), verdict }
  })
}

const NOT_SET_UP: Verdict = { kind: 'not_set_up' }

function verdictOn(deps: ResolveDeps, provider: Provider, chosen: Provider | undefined): Verdict {
  if (provider === chosen) return { kind: 'chosen' }
  if (isDisconnected(provider)) return { kind: 'cut_off' }
  const permission = permissionFor(deps, provider)
  return permission.kind === 'held' ? permission : { kind: 'later' }
}

function shareOf({ providers, weights }: Route, provider: ProviderName): Readonly<{ share?: number }> {
  if (weights === undefined) return {}
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  // Only fallbacks are left of what an operator allows.
  if (total === 0) return {}
  return { share: (weights[providers.indexOf(provider)] ?? 0) / total }
}
