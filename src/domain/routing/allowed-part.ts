/** The part of a route that a tenant may use: without providers that are reserved for others or not on its list. */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { ProviderName } from '../ids.ts'
import type { Route } from './routing.ts'

/** The route itself where nothing is left out; undefined when no provider is left. */
export function allowedPart(route: Route, isAllowed: (name: ProviderName) => boolean): Route | undefined {
  const { providers, weights } = route
  if (providers.every(isAllowed)) return route
  const kept = providers
    .map((name, nth) => ({ name, weight: weights?.[nth] ?? 0 }))
    .filter(({ name }) => isAllowed(name))
  const [first, ...others] = kept.map(({ name }) => name)
  if (first === undefined) return undefined
  const left = weights && kept.map(({ weight }) => weight)
  return omitUndefined({ ...route, providers: [first, ...others] as const, weights: left })
}
