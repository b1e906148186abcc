import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Revision } from '../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  nextEntry,
  someContent,
  someMessage,
} from '../../ports/samples.contract.ts'
import { decodeEvent, decodeState, encodeEvent, encodeMessage, encodeState } from './codec.ts'

test('events and states come back as they were written', () => {
  const message = someMessage()
  let { event } = createdEntry(message, someContent())
  for (const fact of [ATTEMPTED, ACCEPTED, delivered()]) {
    assert.deepEqual(decodeEvent(event.id, encodeMessage(event.state), encodeEvent(event)), event)
    assert.deepEqual(decodeState(encodeMessage(event.state), encodeState(event.state)), event.state)
    event = nextEntry({ event, revision: 1 as Revision }, fact).event
  }
})
