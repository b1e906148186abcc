/** What surrounds a message when it is explained: everything that sentences about it are made from. */
import type { Instant, Millis } from '../../lib/time.ts'
import type { ProviderName, RouteId } from '../ids.ts'
import type { MessageEvent } from '../message/events.ts'
import type { MessageState } from '../message/state.ts'
import type { Breaker } from '../routing/breaker.ts'
import type { UnknownRule } from '../routing/unknown.ts'

/** A provider as it stands now. `heldUntil`: its breaker permits no call before. */
export type ProviderStanding = Readonly<{
  name: ProviderName
  isConfigured: boolean
  isConnected: boolean
  breaker: Breaker
  heldUntil?: Instant
}>

/** Whether Pombo would call it now. */
export const isUp = ({ isConfigured, isConnected, heldUntil }: ProviderStanding): boolean =>
  isConfigured && isConnected && heldUntil === undefined

/** When the first of them may be called; undefined if that is not known, because connections are down. */
export function firstCallableAt(providers: readonly ProviderStanding[]): Instant | undefined {
  const held = providers.flatMap(({ isConfigured, isConnected, heldUntil }) =>
    isConfigured && isConnected && heldUntil !== undefined ? [heldUntil] : [],
  )
  return held.toSorted((one, other) => one - other)[0]
}

/** The messages of the tenant in the lane. */
export type LaneLoad = Readonly<{ ready: number; taken: number }>

export type WhyNoRoute = 'unmatched' | 'not_allowed' | 'no_simulator' | 'unloaded'

export type Circumstances = Readonly<{
  state: MessageState
  /** The newest, oldest first. */
  events: readonly MessageEvent[]
  now: Instant
  /** How long an attempt may be open before it counts as abandoned. */
  lease: Millis
  isSuspended: boolean
  /** The route that it would take now, or why there is none. Missing where none is needed any more. */
  route?: Readonly<{ id: RouteId }> | WhyNoRoute
  /** Those of the route, in the order in which the message tries them. */
  providers: readonly ProviderStanding[]
  /** Of its route in this cycle. */
  maxAttempts: number
  unknownRule: UnknownRule
  /** Of the provider of the newest attempt: whether it can be asked, and how it reports; missing if it is gone. */
  asked?: Readonly<{ canBeAsked: boolean; reports: 'callback' | 'connection' | 'never' }>
  lane?: LaneLoad
}>
