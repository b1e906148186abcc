/** The routes a worker goes by, and the provider whose turn it is. */
import type { ProviderName } from '../domain/ids.ts'
import type { DoubtPolicy, Route } from '../domain/routing.ts'
import type { MessageState } from '../domain/state.ts'
import { type Millis, seconds } from '../domain/time.ts'

export type Doubt = Readonly<{ wait: Millis; policy: DoubtPolicy }>

/** Where a route is gone, the careful thing is to wait for a person. */
const CAREFUL: Doubt = { wait: seconds(30), policy: 'hold' }

export const doubtOf = (routes: readonly Route[], { routeId }: MessageState): Doubt =>
  routes.find(({ id }) => id === routeId)?.doubt ?? CAREFUL

/** The first provider of the route that has not blamed itself in this cycle. */
export const providerOf = (route: Route, { passedOver = [] }: MessageState): ProviderName | undefined =>
  route.providers.find((name) => !passedOver.includes(name))
