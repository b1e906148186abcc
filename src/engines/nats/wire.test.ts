import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { Revision } from '../../ports/event-log.ts'
import {
  ATTEMPTED,
  createdEntry,
  delivered,
  nextEntry,
  someMessage,
  withHashedId,
} from '../../ports/samples.contract.ts'
import {
  decodeKey,
  decodeStored,
  encodeKey,
  encodeStored,
  historyThrough,
  includesEvent,
  toEncoded,
  toRecorded,
} from './wire.ts'

const stored = (data: Uint8Array, seq: number) => ({ subject: 'somewhere', seq, at: instant(0), data })

test('an event survives a round trip with its history and any sealed bytes', () => {
  const { event } = createdEntry(someMessage())
  const bytes = Buffer.concat([Buffer.from('\n\n'), randomBytes(500), Buffer.from('\n')])
  const first = decodeStored(stored(encodeStored(toEncoded(event), [], { kid: 'k1', bytes }), 7))
  assert.deepEqual(toRecorded(first), { revision: 7, position: 7, event })
  assert.equal(first.sealed?.kid, 'k1')
  assert.deepEqual(Buffer.from(first.sealed?.bytes ?? []), bytes)
  assert.deepEqual(first.history, [])

  const next = nextEntry({ revision: 7 as Revision, event }, ATTEMPTED)
  const second = decodeStored(stored(encodeStored(toEncoded(next.event), historyThrough(first)), 9))
  assert.deepEqual(toRecorded(second).event, next.event)
  assert.equal(second.sealed, undefined)
  assert.deepEqual(
    second.history.map(([seq]) => seq),
    [7],
  )
  assert.ok(includesEvent(second.history, event.id) && !includesEvent(second.history, next.event.id))
  assert.ok(includesEvent(historyThrough(second), next.event.id))
})

test('the history tells the events of a message apart, whether their ids are hashes or not', () => {
  const created = createdEntry(someMessage())
  const seen = { revision: 7 as Revision, event: created.event }
  const events = [created, nextEntry(seen, ATTEMPTED), nextEntry(seen, delivered('a')), nextEntry(seen, delivered('b'))]
  for (const ids of [events.map(({ event }) => event.id), events.map(({ event }) => withHashedId(event).id)]) {
    for (const id of ids) {
      const history = historyThrough({ history: [], seq: 7, id })
      assert.deepEqual(
        ids.filter((other) => includesEvent(history, other)),
        [id],
      )
    }
  }
})

test('the history of events with hashed ids has the sixteen digits that earlier releases compare', () => {
  const { id } = withHashedId(createdEntry(someMessage()).event)
  assert.deepEqual(historyThrough({ history: [], seq: 7, id }), [[7, id.slice(0, 16)]])
})

test('a key survives a round trip, with content that was sealed again', () => {
  const key = { secret: randomBytes(32), searchable: '{"to":"+***4321"}' }
  assert.deepEqual(decodeKey(encodeKey(key)), { ...key, bytes: undefined })
  const bytes = randomBytes(100)
  assert.deepEqual(decodeKey(encodeKey({ ...key, bytes })).bytes, bytes)
})

test('refuses a record that is not an event', () => {
  assert.throws(() => decodeStored(stored(Buffer.from('hello\nworld'), 1)), /malformed record/)
})
