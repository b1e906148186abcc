import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { ACCEPTED, ATTEMPTED, delivered, NOON, someMessage, stateAfter } from '../../ports/samples.contract.ts'
import { SilentMessages } from './silent-messages.ts'
import type { MessageState } from './state.ts'

/** Handed off this many seconds after noon. */
const handedOff = (after: number): MessageState =>
  stateAfter(someMessage({ createdAt: later(NOON, seconds(after - 2)) }), [ATTEMPTED, ACCEPTED])

const at = (after: number): Instant => later(NOON, seconds(after))

test('a message is due when one of its poll times is between two rounds', () => {
  const silent = new SilentMessages(10)
  const state = handedOff(0)
  silent.note(state)
  assert.deepEqual(silent.due(at(0), at(29)), [])
  assert.deepEqual(silent.due(at(29), at(30)), [state.id])
  assert.deepEqual(silent.due(at(30), at(149)), [])
  assert.deepEqual(silent.due(at(149), at(151)), [state.id])
})

test('forgets a message with a final report', () => {
  const silent = new SilentMessages(10)
  const message = someMessage()
  silent.note(stateAfter(message, [ATTEMPTED, ACCEPTED]))
  silent.note(stateAfter(message, [ATTEMPTED, ACCEPTED, delivered()]))
  assert.equal(silent.size, 0)
})

test('keeps at most the newest messages up to its capacity', () => {
  const silent = new SilentMessages(3)
  const states = [0, 1, 2, 3, 4].map(handedOff)
  for (const state of states) silent.note(state)
  assert.deepEqual(
    silent.due(at(0), at(60)),
    states.slice(2).map(({ id }) => id),
  )
})

test('forgets messages that were silent for more than three hours', () => {
  const silent = new SilentMessages(10)
  silent.note(handedOff(0))
  silent.note(handedOff(600))
  assert.deepEqual(silent.due(at(10_900), at(10_905)), [])
  assert.equal(silent.size, 1)
})
