/** How messages get into the index that a contract tests: by projections, or with the log itself. For tests only. */
import assert from 'node:assert/strict'
import type { MessageId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import type { MessageState } from '../domain/message/state.ts'
import type { Engines } from './engines.ts'
import type { Position } from './event-log.ts'
import { at, contentOf, messageOf, type SampleMessage, someProjection } from './index-samples.contract.ts'
import type { MessageIndex, ProjectedIndex } from './message-index.ts'
import { append, createdEntry, foldNext, nextEntry } from './samples.contract.ts'

export type FilledIndex = AsyncDisposable &
  Readonly<{
    index: MessageIndex
    /** Adds messages, and returns their ids. */
    put: (...stories: readonly SampleMessage[]) => Promise<readonly MessageId[]>
    /** Adds facts about a message, a second apart. */
    happen: (id: MessageId, ...facts: readonly Fact[]) => Promise<void>
    /** The position of the newest event. */
    tip: () => Promise<Position>
  }>

export type OpenFilled = () => Promise<FilledIndex>

/** An index that a projector writes: it gets what the projector would apply. */
export function projectedIndex(opened: AsyncDisposable & Readonly<{ index: ProjectedIndex }>): FilledIndex {
  const { index } = opened
  const states = new Map<MessageId, MessageState>()
  let last = 0
  return {
    index,
    async put(...stories) {
      const projections = stories.map((story, nth) => someProjection(story, last + nth + 1))
      last += stories.length
      await index.apply(projections, at(last))
      for (const { state } of projections) states.set(state.id, state)
      return projections.map(({ state }) => state.id)
    },
    async happen(id, ...facts) {
      for (const fact of facts) {
        const before = states.get(id)
        assert.ok(before !== undefined)
        const state = foldNext(before, fact)
        states.set(id, state)
        last += 1
        await index.apply([{ state, position: at(last) }], at(last))
      }
    },
    tip: async () => at(last),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

/** An index that the engine derives from its log. The engine must hash recipients with `keyOf`. */
export function loggedIndex(opened: AsyncDisposable & Pick<Engines, 'log' | 'index'>): FilledIndex {
  const { log, index } = opened
  return {
    index,
    put: (...stories) =>
      Promise.all(
        stories.map(async (story) => {
          let seen = await append(log, createdEntry(messageOf(story), contentOf(story)))
          for (const fact of story.facts ?? []) seen = await append(log, nextEntry(seen, fact, undefined, story.pace))
          return seen.event.state.id
        }),
      ),
    async happen(id, ...facts) {
      for (const fact of facts) {
        const seen = await log.latest(id)
        assert.ok(seen !== undefined)
        await append(log, nextEntry(seen, fact))
      }
    },
    tip: () => log.tip(),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
