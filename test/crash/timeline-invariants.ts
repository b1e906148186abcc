/** Checks every timeline: it never goes backwards, and its states are the fold of its facts. */
import { isDeepStrictEqual } from 'node:util'
import type { MessageId } from '../../src/domain/ids.ts'
import type { MessageEvent } from '../../src/domain/message/events.ts'
import { FIRST_CYCLE, fold, isUnresolved, type MessageState } from '../../src/domain/message/state.ts'
import { handoffRank, isHandoffOver, providerRank, toStatus } from '../../src/domain/message/states.ts'
import type { Recorded } from '../../src/ports/event-log.ts'
import type { World } from './world.ts'

export function checkTimeline({ sim }: World, id: MessageId, timeline: readonly Recorded[]): void {
  const events = timeline.map(({ event }) => event)
  const [first] = events
  if (first?.fact.kind !== 'MessageCreated' || first.state.cycle !== FIRST_CYCLE) {
    sim.reportViolation(`${id} does not begin with its creation`)
  }
  if (new Set(events.map((event) => event.id)).size < events.length) sim.reportViolation(`${id} has an event twice`)
  for (const [index, after] of events.entries()) {
    const before = events[index - 1]
    if (before === undefined) continue
    const where = `${id} at ${after.fact.kind} (${index})`
    if (isBackwards(before.state, after.state)) sim.reportViolation(`${where} goes backwards`)
    if (!isFolded(before.state, after)) sim.reportViolation(`${where} is not the fold of its facts`)
    if (isPremature(before.state, after)) sim.reportViolation(`${where} is resent before its handoff has ended`)
    if (isDead(before.state, after)) sim.reportViolation(`${where} is attempted after its expires_at`)
  }
}

function isBackwards(before: MessageState, after: MessageState): boolean {
  if (after.cycle !== before.cycle) return after.cycle < before.cycle || after.attempt < before.attempt
  return (
    after.attempt < before.attempt ||
    rankOf(after) < rankOf(before) ||
    providerRank(after.providerState) < providerRank(before.providerState)
  )
}

/** A failure whose outcome is unknown ranks below one that is certain. */
const rankOf = (state: MessageState): number => (isUnresolved(state) ? 90 : handoffRank(state.handoffState))

const isFolded = (before: MessageState, { fact, at, cycle, attempt, state, previousStatus }: MessageEvent): boolean =>
  isDeepStrictEqual(fold(before, fact, { at, cycle, attempt }), state) && previousStatus === toStatus(before)

const isPremature = ({ handoffState }: MessageState, { fact }: MessageEvent): boolean =>
  fact.kind === 'ResendRequested' && !isHandoffOver(handoffState)

const isDead = ({ expiresAt }: MessageState, { fact, at }: MessageEvent): boolean =>
  fact.kind === 'HandoffAttempted' && expiresAt !== undefined && expiresAt <= at
