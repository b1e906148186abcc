/** What must hold between a timeline and the handset: no attempt twice, no double unexplained, no delivery unheard of. */

import type { MessageId } from '../../src/domain/ids.ts'
import type { MessageEvent } from '../../src/domain/message/events.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { providerRank, toStatus } from '../../src/domain/message/states.ts'
import { unknownRuleOf } from '../../src/domain/routing/unknown.ts'
import type { Recorded } from '../../src/ports/event-log.ts'
import type { Reception } from './carrier.ts'
import type { World } from './world.ts'

export function questionHandset(world: World, id: MessageId, timeline: readonly Recorded[]): void {
  const { sim, inbox } = world
  const received = inbox.filter(({ ref }) => ref.messageId === id)
  const attempts = new Set(received.map((reception) => reception.id))
  if (attempts.size < received.length) sim.violated(`an attempt of ${id} was received twice`)

  for (const reception of received) {
    if (!isClaimed(reception, timeline)) sim.violated(`${nameOf(reception)} was received and never attempted`)
    const isFollowed = received.some(
      ({ ref }) => ref.cycle === reception.ref.cycle && ref.attempt > reception.ref.attempt,
    )
    if (!isFollowed) continue
    if (isExplained(world, reception, timeline)) sim.tally.count('received twice, and says why')
    else sim.violated(`${nameOf(reception)} was received, and a later attempt of its cycle too`)
  }
  for (const { event } of timeline) {
    const { fact, cycle, attempt } = event
    const own = received.find(({ ref }) => ref.cycle === cycle && ref.attempt === attempt)
    const isTold = fact.kind === 'HandoffAccepted' && fact.by !== 'person'
    const isPretended = isTold && fact.providerMessageId !== own?.providerMessageId
    if (isPretended) sim.violated(`${where(id, event)} was never received`)
    if (isDenial(event) && own !== undefined) sim.violated(`${where(id, event)} was received all the same`)
  }
  questionDelivery(world, received, timeline)
}

const where = (id: MessageId, { fact, cycle, attempt }: MessageEvent): string =>
  `${id}/${cycle}/${attempt} ${fact.kind}: it`

/** Outcomes that say for certain that the provider does not have the attempt. */
const isDenial = ({ fact }: MessageEvent): boolean => 'code' in fact && DENIALS.has(fact.code ?? '')

const DENIALS = new Set(['BUSY', 'NO', 'REFUSED', 'CLAIM_LATE', 'NOT_RECEIVED', 'HTTP_503', 'ACCOUNT_PAUSED'])

const nameOf = ({ ref }: Reception): string => `${ref.messageId}/${ref.cycle}/${ref.attempt}`

const isClaimed = (reception: Reception, timeline: readonly Recorded[]): boolean =>
  ownEvents(reception, timeline).some(
    ({ fact }) => fact.kind === 'HandoffAttempted' && fact.provider === reception.provider,
  )

const ownEvents = ({ ref }: Reception, timeline: readonly Recorded[]) =>
  timeline.map(({ event }) => event).filter(({ cycle, attempt }) => cycle === ref.cycle && attempt === ref.attempt)

/**
 * Only a route that says so, or a person, sends again what is unknown; and then the timeline tells of the unknown
 * outcome and of the decision.
 */
function isExplained({ landscape }: World, reception: Reception, timeline: readonly Recorded[]): boolean {
  const own = ownEvents(reception, timeline)
  const unknown = own.findIndex(({ fact }) => fact.kind === 'HandoffUnknown')
  const state = own[unknown]?.state
  const decided = own.find(({ fact }, place) => fact.kind === 'RetryScheduled' && place > unknown)?.fact
  if (state === undefined || decided?.kind !== 'RetryScheduled') return false
  if (decided.resolvedBy !== undefined) return true
  const { policy } = unknownRuleOf(
    landscape.routes.find((route) => route.id === state.routeId),
    state.lane,
  )
  return decided.code === 'OUTCOME_UNKNOWN' && policy !== 'hold'
}

/** What a provider told us counts; and one that took a message and can be asked tells us in the end, unless it was erased. */
function questionDelivery(world: World, received: readonly Reception[], timeline: readonly Recorded[]): void {
  const { sim, landscape, story } = world
  const state = timeline.at(-1)?.event.state
  if (state === undefined) return
  const told = story.promises.told.filter(({ ref }) => ref.messageId === state.id && ref.cycle === state.cycle)
  const newest = received.find(({ ref }) => ref.cycle === state.cycle && ref.attempt === state.attempt)
  const canBeAsked = landscape.providers.some(({ name, canBeAsked }) => name === newest?.provider && canBeAsked)
  const isKnown = state.handoffState === 'handed_off' && canBeAsked && !state.erased
  const known = newest !== undefined && isKnown ? newest.reports.map((report) => report.state) : []

  if (told.some((receipt) => receipt.state === 'delivered') || known.includes('delivered')) {
    if (!isDelivered(state, timeline)) sim.violated(`${state.id} was delivered, and says ${toStatus(state)}`)
  }
  if (known.some((report) => report !== 'accepted') && !isReported(state)) {
    sim.violated(`${state.id} says ${state.providerState}, and its provider ${known.join(', ')}`)
  }
}

/** Bad news may outrank it; and of two attempts, one delivered and one dropped, what was told first stands. */
const isDelivered = (state: MessageState, timeline: readonly Recorded[]): boolean =>
  toStatus(state) === 'delivered' ||
  providerRank(state.providerState) > providerRank('delivered') ||
  timeline.some(({ event: { fact, cycle } }) => fact.kind === 'ProviderDropped' && cycle === state.cycle)

const isReported = ({ providerState }: MessageState): boolean =>
  providerRank(providerState) >= providerRank('delivered')
