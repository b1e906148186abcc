/** Checks every message at the end of a schedule: nothing is lost, sent twice or recorded wrongly. */
import type { MessageId } from '../../src/domain/ids.ts'
import { isUnresolved } from '../../src/domain/message/state.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import type { Recorded } from '../../src/ports/event-log.ts'
import { checkHandset } from './handset-invariants.ts'
import { checkTimeline } from './timeline-invariants.ts'
import type { Answer } from './workload.ts'
import { isFinal, type World } from './world.ts'

export async function checkMessages(world: World): Promise<void> {
  const { sim, workload, engine } = world
  checkKeys(world)
  for (const id of new Set([
    ...sim.written.keys(),
    ...workload.acknowledged.answers.map(({ accepted }) => accepted.id),
  ])) {
    const timeline = await engine.log.read(id)
    if (timeline.length === 0) sim.reportViolation(`${id} was acknowledged and is not in the log`)
    checkTimeline(world, id, timeline)
    checkEnding(world, id, timeline)
    checkAcknowledged(world, id, timeline)
    checkHandset(world, id, timeline)
    await checkErasure(world, id)
  }
}

const HOURS_48 = 48 * 60 * 60 * 1000

/** One key gives one message and one answer; after 48 hours, a new message. */
function checkKeys({ sim, workload: { acknowledged } }: World): void {
  for (const [key, answers] of Map.groupBy(acknowledged.answers, (answer) => answer.key)) {
    const byId = Map.groupBy(answers, ({ accepted }) => accepted.id)
    for (const [id, same] of byId) {
      if (new Set(same.map(toText)).size > 1) sim.reportViolation(`${key} got different answers for ${id}`)
      const bodies = new Set(same.map(({ body }) => body))
      if (bodies.size > 1 && !acknowledged.erased.has(id)) sim.reportViolation(`${key} was accepted with two payloads`)
    }
    const [first = 0, ...others] = Array.from(byId.values(), ([one]) => one?.accepted.createdAt ?? 0).toSorted()
    if (others.some((createdAt) => createdAt < first + HOURS_48))
      sim.reportViolation(`${key} has two ids within 48 hours`)
    if (others.length > 0) sim.counters.count('key after 48 hours')
  }
}

const toText = ({ accepted: { replayed, ...answer } }: Answer): string => JSON.stringify(answer)

/** Every message reaches a final status. */
function checkEnding({ sim }: World, id: MessageId, timeline: readonly Recorded[]): void {
  const state = timeline.at(-1)?.event.state
  if (state === undefined) return
  if (!isFinal(state)) sim.reportViolation(`${id} is left ${state.handoffState}, ${state.phase}`)
  const status = toStatus(state)
  if (status !== 'delivered' && status !== 'failed' && status !== 'expired')
    sim.reportViolation(`${id} ended as ${status}`)
  else sim.counters.count(status)
  for (const [index, { event }] of timeline.entries()) {
    if (event.fact.kind !== 'DeadLettered') continue
    if (event.fact.code === 'PROCESSING_FAILED') sim.counters.count('dead-lettered as poison')
    if (!isUnresolved(event.state)) continue
    sim.counters.count('dead-lettered')
    const after = timeline[index + 1]?.event
    if (after?.fact.kind === 'HandoffAccepted') sim.counters.count('resolved after dead-lettering')
  }
}

/** Everything acknowledged to a provider or a client is in the log. */
function checkAcknowledged(
  { sim, workload: { acknowledged } }: World,
  id: MessageId,
  timeline: readonly Recorded[],
): void {
  const events = timeline.map(({ event }) => event)
  for (const { ref, reportId, state } of acknowledged.receipts.filter(({ ref }) => ref.messageId === id)) {
    const isStored = events.some(
      ({ fact, cycle, attempt }) =>
        'reportId' in fact && fact.reportId === reportId && cycle === ref.cycle && attempt === ref.attempt,
    )
    if (!isStored) sim.reportViolation(`the report ${state} of ${id}/${ref.cycle}/${ref.attempt} is lost`)
  }
  for (const { cycle } of acknowledged.resent.filter((resent) => resent.id === id)) {
    const isStored = events.some(({ fact, state }) => fact.kind === 'ResendRequested' && state.cycle === cycle)
    if (!isStored) sim.reportViolation(`the resend of ${id} as cycle ${cycle} is lost`)
  }
}

async function checkErasure({ sim, workload, engine }: World, id: MessageId): Promise<void> {
  const loaded = await engine.log.load(id)
  const isErased = loaded?.event.state.erased === true
  if (isErased !== workload.acknowledged.erased.has(id)) sim.reportViolation(`${id} is ${isErased ? '' : 'not '}erased`)
  if (isErased === (loaded?.content !== undefined))
    sim.reportViolation(`the content of ${id} is ${isErased ? 'still stored' : 'missing'}`)
}
