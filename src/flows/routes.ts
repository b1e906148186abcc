/** The routes a worker goes by, and the providers whose turn it is. */
import type { ProviderName, RouteId } from '../domain/ids.ts'
import type { Channel } from '../domain/message.ts'
import type { DoubtPolicy, Route } from '../domain/routing.ts'
import type { MessageState } from '../domain/state.ts'
import { type Millis, seconds } from '../domain/time.ts'
import type { Provider } from '../ports/provider.ts'

export type Doubt = Readonly<{ wait: Millis; policy: DoubtPolicy }>

/** Where a route is gone, the careful thing is to wait for a person. */
const CAREFUL: Doubt = { wait: seconds(30), policy: 'hold' }

export const doubtOf = (routes: readonly Route[], { routeId }: MessageState): Doubt =>
  routes.find(({ id }) => id === routeId)?.doubt ?? CAREFUL

/** Those of the route that have not blamed themselves in this cycle, in its order; if all have, its first. */
export function candidatesOf({ providers }: Route, { passedOver }: MessageState): readonly ProviderName[] {
  if (passedOver === undefined) return providers
  const left = providers.filter((name) => !passedOver.includes(name))
  return left.length === 0 ? [providers[0]] : left
}

/** A user without an address is reached by nobody's route, but only by a provider that knows users. */
export function usersRoute(providers: ReadonlyMap<ProviderName, Provider>, channel: Channel): Route | undefined {
  const [first, ...others] = [...providers.values()]
    .filter(({ takesUsers, channels }) => takesUsers === true && channels.includes(channel))
    .map(({ name }) => name)
  return first && { id: 'users' as RouteId, channel, providers: [first, ...others], doubt: CAREFUL }
}
