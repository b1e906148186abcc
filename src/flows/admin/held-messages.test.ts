import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fact } from '../../domain/message/events.ts'
import { EMPTY, type Followed, type Position } from '../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  DEAD,
  delivered,
  nextEntry,
  someMessage,
} from '../../ports/samples.contract.ts'
import { HeldMessages } from './held-messages.ts'

const HOLD_MS = 500

/** The events of a new message, from this position on. */
function story(first: number, ...facts: readonly Fact[]): readonly Followed[] {
  const message = someMessage()
  let { event } = createdEntry(message)
  const events = [event]
  for (const fact of facts) {
    event = nextEntry({ revision: EMPTY, event }, fact).event
    events.push(event)
  }
  return events.map((one, nth) => ({
    revision: EMPTY,
    position: (first + nth) as Position,
    messageId: message.id,
    event: one,
  }))
}

const positionsOf = (held: HeldMessages, now: number): readonly (readonly number[])[] =>
  held.take(now).map(({ events }) => events.map(({ position }) => position))

test('a message is taken when it has ended, with all its events', () => {
  const held = new HeldMessages(HOLD_MS)
  const events = story(1, ATTEMPTED, ACCEPTED, delivered())
  held.add(events.slice(0, 2), 0)
  assert.deepEqual(positionsOf(held, 100), [])
  held.add(events.slice(2), 200)
  held.add(story(5, ATTEMPTED, DEAD), 200)
  assert.equal(held.ended, 2)
  assert.deepEqual(positionsOf(held, 200), [
    [1, 2, 3, 4],
    [5, 6, 7],
  ])
  assert.deepEqual([held.size, held.ended], [0, 0])
})

test('a message that has not ended is taken after a moment, and again when more happens to it', () => {
  const held = new HeldMessages(HOLD_MS)
  const [created, ...later] = story(1, ATTEMPTED, ACCEPTED)
  assert.ok(created !== undefined)
  held.add([created], 0)
  held.add(later.slice(0, 1), HOLD_MS - 1)
  assert.deepEqual(positionsOf(held, HOLD_MS - 1), [])
  assert.deepEqual(positionsOf(held, HOLD_MS), [[1, 2]])
  held.add(later.slice(1), HOLD_MS)
  assert.deepEqual(positionsOf(held, HOLD_MS), [])
  assert.deepEqual(positionsOf(held, 2 * HOLD_MS), [[3]])
})

test('what is written ends right before the first event of the oldest message that is held', () => {
  const held = new HeldMessages(HOLD_MS)
  const through = 20 as Position
  assert.equal(held.writtenThrough(through), 20)
  const [slow, fast] = [story(3, ATTEMPTED), story(5, ATTEMPTED, ACCEPTED, delivered())]
  held.add([...slow, ...fast], 0)
  assert.equal(held.writtenThrough(through), 2)
  assert.deepEqual(positionsOf(held, 0), [[5, 6, 7, 8]])
  assert.equal(held.writtenThrough(through), 2)
  held.take(HOLD_MS)
  assert.equal(held.writtenThrough(through), 20)
})
