/** What must hold of every message when all has come to rest: nothing lost, nothing doubled, nothing pretended. */
import type { MessageId } from '../../src/domain/ids.ts'
import { isUnresolved } from '../../src/domain/message/state.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import type { Recorded } from '../../src/ports/event-log.ts'
import { questionHandset } from './handset-questions.ts'
import type { Answer } from './story.ts'
import { questionTimeline } from './timeline-questions.ts'
import { isOver, type World } from './world.ts'

export async function questionMessages(world: World): Promise<void> {
  const { sim, story, engine } = world
  questionKeys(world)
  for (const id of new Set([...sim.written.keys(), ...story.promises.answers.map(({ accepted }) => accepted.id)])) {
    const timeline = await engine.log.read(id)
    if (timeline.length === 0) sim.violated(`${id} was answered for and is not in the log`)
    questionTimeline(world, id, timeline)
    questionEnding(world, id, timeline)
    questionPromises(world, id, timeline)
    questionHandset(world, id, timeline)
    await questionErasure(world, id)
  }
}

const HOURS_48 = 48 * 60 * 60 * 1000

/** One key, one message, one answer; after 48 hours a new one. */
function questionKeys({ sim, story: { promises } }: World): void {
  for (const [key, answers] of Map.groupBy(promises.answers, (answer) => answer.key)) {
    const byId = Map.groupBy(answers, ({ accepted }) => accepted.id)
    for (const [id, same] of byId) {
      if (new Set(same.map(toText)).size > 1) sim.violated(`${key} got different answers for ${id}`)
      const bodies = new Set(same.map(({ body }) => body))
      if (bodies.size > 1 && !promises.erased.has(id)) sim.violated(`${key} was accepted with two payloads`)
    }
    const [first = 0, ...others] = Array.from(byId.values(), ([one]) => one?.accepted.createdAt ?? 0).toSorted()
    if (others.some((createdAt) => createdAt < first + HOURS_48)) sim.violated(`${key} has two ids within 48 hours`)
    if (others.length > 0) sim.tally.count('key after 48 hours')
  }
}

const toText = ({ accepted: { replayed, ...answer } }: Answer): string => JSON.stringify(answer)

/** It has ended, whatever went wrong and whoever stayed silent. */
function questionEnding({ sim }: World, id: MessageId, timeline: readonly Recorded[]): void {
  const state = timeline.at(-1)?.event.state
  if (state === undefined) return
  if (!isOver(state)) sim.violated(`${id} is left ${state.handoffState}, ${state.phase}`)
  const status = toStatus(state)
  if (status !== 'delivered' && status !== 'failed' && status !== 'expired') sim.violated(`${id} ended as ${status}`)
  else sim.tally.count(status)
  for (const [place, { event }] of timeline.entries()) {
    if (event.fact.kind !== 'DeadLettered') continue
    if (event.fact.code === 'PROCESSING_FAILED') sim.tally.count('given up as poison')
    if (!isUnresolved(event.state)) continue
    sim.tally.count('given up')
    const after = timeline[place + 1]?.event
    if (after?.fact.kind === 'HandoffAccepted') sim.tally.count('resolved after it was given up')
  }
}

/** What a provider told us and what we told a caller is in the log. */
function questionPromises({ sim, story: { promises } }: World, id: MessageId, timeline: readonly Recorded[]): void {
  const events = timeline.map(({ event }) => event)
  for (const { ref, reportId, state } of promises.told.filter(({ ref }) => ref.messageId === id)) {
    const isKept = events.some(
      ({ fact, cycle, attempt }) =>
        'reportId' in fact && fact.reportId === reportId && cycle === ref.cycle && attempt === ref.attempt,
    )
    if (!isKept) sim.violated(`the report ${state} of ${id}/${ref.cycle}/${ref.attempt} is lost`)
  }
  for (const { cycle } of promises.resent.filter((resent) => resent.id === id)) {
    const isKept = events.some(({ fact, state }) => fact.kind === 'ResendRequested' && state.cycle === cycle)
    if (!isKept) sim.violated(`the resend of ${id} as cycle ${cycle} is lost`)
  }
}

async function questionErasure({ sim, story, engine }: World, id: MessageId): Promise<void> {
  const loaded = await engine.log.load(id)
  const isErased = loaded?.event.state.erased === true
  if (isErased !== story.promises.erased.has(id)) sim.violated(`${id} is ${isErased ? '' : 'not '}erased`)
  if (isErased === (loaded?.content !== undefined))
    sim.violated(`the content of ${id} is ${isErased ? 'kept' : 'gone'}`)
}
