import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageEvent } from '../../../domain/message/events.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { Revision } from '../../../ports/event-log.ts'
import {
  ATTEMPTED,
  createdEntry,
  delivered,
  nextEntry,
  someContent,
  someEmail,
  someMessage,
} from '../../../ports/samples.contract.ts'
import { decodeEvents, joinEvents } from '../messages/event-codec.ts'
import { decodeFrame, encodeFirst, encodeNext, joinLines } from './frame.ts'
import { type FramedEvent, LARGE } from './framed-event.ts'

/** The events of one message, as its first frame and later ones hold them. */
const eventsOf = (framed: readonly FramedEvent[]): readonly MessageEvent[] =>
  decodeEvents(framed[0]?.facts ?? '', joinEvents(framed.map(({ event }) => event))).map(({ event }) => event)

const TRICKY = 'a\ttab, a\nline, a "quote" and ümläuts'

test('decodes what was encoded', () => {
  const content = someContent({ body: TRICKY })
  const { event } = createdEntry()
  const next = nextEntry({ revision: 1 as Revision, event }, ATTEMPTED).event
  const final = nextEntry({ revision: 2 as Revision, event: next }, delivered(TRICKY)).event
  const json = JSON.stringify(content)
  const lines = [
    encodeFirst(1, event, content, json),
    encodeNext(2, next, event.state),
    encodeNext(3, final, next.state),
  ]
  const decoded = decodeFrame(joinLines(lines))
  const [first] = decoded
  assert.deepEqual(eventsOf(decoded), [event, next, final])
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

test('a later event tells whether its message has its own webhook', () => {
  for (const callback of [undefined, true] as const) {
    const { event } = createdEntry(someMessage(omitUndefined({ callback })))
    const next = nextEntry({ revision: 1 as Revision, event }, ATTEMPTED).event
    const final = nextEntry({ revision: 2 as Revision, event: next }, delivered()).event
    const lines = [encodeNext(2, next, event.state), encodeNext(3, final, next.state)]
    assert.deepEqual(
      decodeFrame(joinLines(lines)).map(({ isFinal, hasCallback }) => [isFinal, hasCallback]),
      [
        [false, callback === true],
        [true, callback === true],
      ],
    )
  }
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
