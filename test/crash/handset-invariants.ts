/** Compares a timeline with the handset: no attempt is received twice, every duplicate is explained, every delivery is recorded. */

import type { MessageId } from '../../src/domain/ids.ts'
import type { MessageEvent } from '../../src/domain/message/events.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { providerRank, toStatus } from '../../src/domain/message/states.ts'
import { unknownRuleOf } from '../../src/domain/routing/unknown.ts'
import type { Recorded } from '../../src/ports/event-log.ts'
import type { Reception } from './carrier.ts'
import type { World } from './world.ts'

export function checkHandset(world: World, id: MessageId, timeline: readonly Recorded[]): void {
  const { sim, inbox } = world
  const received = inbox.filter(({ ref }) => ref.messageId === id)
  const attempts = new Set(received.map((reception) => reception.id))
  if (attempts.size < received.length) sim.reportViolation(`an attempt of ${id} was received twice`)

  for (const reception of received) {
    if (!isClaimed(reception, timeline)) sim.reportViolation(`${nameOf(reception)} was received and never attempted`)
    const isFollowed = received.some(
      ({ ref }) => ref.cycle === reception.ref.cycle && ref.attempt > reception.ref.attempt,
    )
    if (!isFollowed) continue
    if (isExplained(world, reception, timeline)) sim.counters.count('received twice, with the reason recorded')
    else sim.reportViolation(`${nameOf(reception)} was received, and a later attempt of its cycle too`)
  }
  for (const { event } of timeline) {
    const { fact, cycle, attempt } = event
    const own = received.find(({ ref }) => ref.cycle === cycle && ref.attempt === attempt)
    const isReported = fact.kind === 'HandoffAccepted' && fact.by !== 'person'
    const isWrong = isReported && fact.providerMessageId !== own?.providerMessageId
    if (isWrong) sim.reportViolation(`${where(id, event)} was never received`)
    if (isDenial(event) && own !== undefined) sim.reportViolation(`${where(id, event)} was received all the same`)
  }
  checkDelivery(world, received, timeline)
}

const where = (id: MessageId, { fact, cycle, attempt }: MessageEvent): string =>
  `${id}/${cycle}/${attempt} ${fact.kind}: it`

/** Outcomes that state that the provider does not have the attempt. */
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
 * Only a route with a resend policy or a person may send again after an unknown outcome, and the timeline must contain
 * both the unknown outcome and the decision.
 */
function isExplained({ scenario }: World, reception: Reception, timeline: readonly Recorded[]): boolean {
  const own = ownEvents(reception, timeline)
  const unknown = own.findIndex(({ fact }) => fact.kind === 'HandoffUnknown')
  const state = own[unknown]?.state
  const decided = own.find(({ fact }, index) => fact.kind === 'RetryScheduled' && index > unknown)?.fact
  if (state === undefined || decided?.kind !== 'RetryScheduled') return false
  if (decided.resolvedBy !== undefined) return true
  const { policy } = unknownRuleOf(
    scenario.routes.find((route) => route.id === state.routeId),
    state.lane,
  )
  return decided.code === 'OUTCOME_UNKNOWN' && policy !== 'hold'
}

/** Every receipt counts; and a provider with a lookup reports every message it accepted, unless the message was erased. */
function checkDelivery(world: World, received: readonly Reception[], timeline: readonly Recorded[]): void {
  const { sim, scenario, workload } = world
  const state = timeline.at(-1)?.event.state
  if (state === undefined) return
  const receipts = workload.acknowledged.receipts.filter(
    ({ ref }) => ref.messageId === state.id && ref.cycle === state.cycle,
  )
  const newest = received.find(({ ref }) => ref.cycle === state.cycle && ref.attempt === state.attempt)
  const supportsLookup = scenario.providers.some(
    ({ name, supportsLookup }) => name === newest?.provider && supportsLookup,
  )
  const isKnown = state.handoffState === 'handed_off' && supportsLookup && !state.erased
  const known = newest !== undefined && isKnown ? newest.reports.map((report) => report.state) : []

  if (receipts.some((receipt) => receipt.state === 'delivered') || known.includes('delivered')) {
    if (!isDelivered(state, timeline)) sim.reportViolation(`${state.id} was delivered, and says ${toStatus(state)}`)
  }
  if (known.some((report) => report !== 'accepted') && !isReported(state)) {
    sim.reportViolation(`${state.id} says ${state.providerState}, and its provider ${known.join(', ')}`)
  }
}

/** A bounce or complaint may outrank it; of two attempts, one delivered and one dropped, the first report wins. */
const isDelivered = (state: MessageState, timeline: readonly Recorded[]): boolean =>
  toStatus(state) === 'delivered' ||
  providerRank(state.providerState) > providerRank('delivered') ||
  timeline.some(({ event: { fact, cycle } }) => fact.kind === 'ProviderDropped' && cycle === state.cycle)

const isReported = ({ providerState }: MessageState): boolean =>
  providerRank(providerState) >= providerRank('delivered')
