import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Revision } from '../../../ports/event-log.ts'
import {
  ATTEMPTED,
  createdEntry,
  delivered,
  nextEntry,
  someContent,
  someEmail,
} from '../../../ports/samples.contract.ts'
import { decodeEvent } from '../../shared/codec.ts'
import { decodeFrame, encodeFirst, encodeNext, joinLines, LARGE } from './frame.ts'

const TRICKY = 'a\ttab, a\nline, a "quote" and ümläuts'

test('decodes what was encoded', () => {
  const content = someContent({ body: TRICKY })
  const { event } = createdEntry()
  const next = nextEntry({ revision: 1 as Revision, event }, ATTEMPTED).event
  const final = nextEntry({ revision: 2 as Revision, event: next }, delivered(TRICKY)).event
  const json = JSON.stringify(content)
  const text = joinLines([encodeFirst(1, event, content, json), encodeNext(2, next), encodeNext(3, final)])
  const decoded = decodeFrame(text)
  const [first] = decoded
  assert.deepEqual(
    decoded.map(({ eventId, body }) => decodeEvent(eventId, first?.facts ?? '', body)),
    [event, next, final],
  )
  assert.deepEqual(
    decoded.map(({ seq, messageId, isFinal }) => [seq, messageId, isFinal]),
    [
      [1, event.state.id, false],
      [2, event.state.id, false],
      [3, event.state.id, true],
    ],
  )
  assert.deepEqual([first?.content, first?.gist], [json, undefined])
})

test('large content has a gist for the index', () => {
  const content = someEmail(4 * LARGE)
  const json = JSON.stringify(content)
  const [first] = decodeFrame(encodeFirst(1, createdEntry().event, content, json))
  assert.equal(first?.content, json)
  assert.ok(first.gist !== undefined && first.gist.length < json.length)
})

test('an empty frame has no events, and a line of an unknown kind is refused', () => {
  assert.deepEqual(decodeFrame(''), [])
  assert.throws(() => decodeFrame('something else'), /unknown kind/)
})
