/** Chooses the provider of an attempt: the first of the route's candidates that is connected and whose breaker permits a call. */

import { isTestTenant } from '../../domain/access/test-mode.ts'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { BREAKER, CLOSED, FREE, type Permission, type Permit, permissionOf } from '../../domain/routing/breaker.ts'
import { preferenceOf } from '../../domain/routing/preference.ts'
import type { Route } from '../../domain/routing/routing.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { Provider } from '../../ports/provider.ts'

type Providers = ReadonlyMap<ProviderName, Provider>

export type ChooseProviderDeps = Readonly<{
  providers: Providers
  breakers: Pick<Breakers, 'ask' | 'report' | 'states'>
  clock: Clock
}>

export type Chosen = Readonly<{ provider: Provider; permit: Permit }>

/**
 * The dependencies for messages of a tenant. In test mode recipients fail on purpose, so its calls neither open a
 * circuit breaker nor wait for one.
 */
export const depsFor = <Deps extends Pick<ChooseProviderDeps, 'breakers'>>(deps: Deps, tenantId: TenantId): Deps =>
  isTestTenant(tenantId) ? { ...deps, breakers: WITHOUT_BREAKERS } : deps

const WITHOUT_BREAKERS: ChooseProviderDeps['breakers'] = {
  ask: () => FREE,
  report: () => undefined,
  states: () => new Map(),
}

/** Undefined while none of the candidates can be called. `next` is the first that was not asked yet. */
export function chooseProvider(
  deps: ChooseProviderDeps,
  candidates: readonly Provider[],
  next = 0,
): Soon<Chosen | undefined> {
  const provider = candidates[next]
  if (provider === undefined) return undefined
  if (isDisconnected(provider)) return chooseProvider(deps, candidates, next + 1)
  return whenReady(deps.breakers.ask(provider.name, deps.clock()), (permit) =>
    permit.kind === 'held' ? chooseProvider(deps, candidates, next + 1) : { provider, permit },
  )
}

const NONE: readonly ProviderName[] = []

/**
 * The configured providers of the route that have not rejected the message in this cycle, in the order the message
 * tries them, avoided ones last. If all have rejected it, the first of them.
 */
export function candidatesOf(
  route: Route,
  providers: Providers,
  { id, excluded = NONE, avoided = NONE }: Partial<Pick<MessageState, 'id' | 'excluded' | 'avoided'>>,
): readonly Provider[] {
  const configured: Provider[] = []
  for (const name of preferenceOf(route, id)) {
    const provider = providers.get(name)
    if (provider !== undefined) configured.push(provider)
  }
  if (excluded.length === 0 && avoided.length === 0) return configured
  const left = configured.filter(({ name }) => !excluded.includes(name))
  if (left.length === 0) return configured.slice(0, 1)
  const isAvoided = ({ name }: Provider): boolean => avoided.includes(name)
  return [...left.filter((provider) => !isAvoided(provider)), ...left.filter(isAvoided)]
}

/** Whether the provider is called over connections, and none of ours is up. */
export function isDisconnected({ connections }: Provider): boolean {
  if (connections === undefined) return false
  const { wanted, up } = connections()
  return wanted > 0 && up === 0
}

type CallableDeps = Readonly<{ breakers: Pick<Breakers, 'states'>; clock: Clock }>

/** Whether the breaker would permit a call. Only looks: it never uses up the trial call. */
export const permissionFor = ({ breakers, clock }: CallableDeps, { name }: Provider): Permission =>
  permissionOf(breakers.states().get(name) ?? CLOSED, clock(), BREAKER)

export const isCallable = (deps: CallableDeps, provider: Provider): boolean =>
  !isDisconnected(provider) && permissionFor(deps, provider).kind !== 'held'
