import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { MessageId } from '../../../domain/ids.ts'
import type { Revision } from '../../../ports/event-log.ts'
import { ATTEMPTED, createdEntry, nextEntry, someContent } from '../../../ports/samples.contract.ts'
import { decodeFrame, encodeFirst, encodeNext, joinLines } from '../journal/frame.ts'
import type { FramedEvent } from '../journal/framed-event.ts'
import { type Unfiled, UnfiledEvents } from './unfiled.ts'

const newId = (): MessageId => randomUUID() as MessageId
const [ANA, BEN, EVA] = [newId(), newId(), newId()]

/** The event at this position. */
const eventOf = (messageId: MessageId, seq: number, more: Partial<FramedEvent> = {}): FramedEvent => ({
  seq,
  messageId,
  at: seq,
  event: `[${seq}]`,
  changes: '{}',
  owesReceipt: false,
  isFinal: false,
  hasCallback: undefined,
  facts: undefined,
  content: undefined,
  gist: undefined,
  ...more,
})

/** Reads one event per frame, at the time of its position. */
function read(...events: readonly FramedEvent[]): UnfiledEvents {
  const unfiled = new UnfiledEvents()
  for (const event of events) unfiled.add(event, event.seq, event.seq)
  return unfiled
}

const idsOf = (chosen: readonly Unfiled[]): readonly MessageId[] => chosen.map(({ id }) => id)
const seqsAfter = (unfiled: UnfiledEvents, position: number, limit = 99): readonly number[] =>
  unfiled.after(position, limit).map(([seq]) => seq)

test('collects the events of a new message and its state', () => {
  const { event } = createdEntry()
  const next = nextEntry({ revision: 1 as Revision, event }, ATTEMPTED).event
  const json = JSON.stringify(someContent())
  const lines = [encodeFirst(1, event, someContent(), json), encodeNext(2, next, event.state)]
  const unfiled = read(...decodeFrame(joinLines(lines))).get(event.state.id)
  const searchable = { to: 'masked', toKey: 'key', tags: [], metadata: {} }
  assert.deepEqual(
    unfiled?.decode(() => searchable),
    { state: next.state, searchable },
  )
  const { first, last, at, frame, since, content, events, hasCallback } = unfiled
  assert.deepEqual([first, last, at, frame, since], [1, 2, next.at, 1, 1])
  assert.deepEqual([content, events.length, hasCallback], [json, 2, false])
})

test('later events of a filed message have no state of their own', () => {
  const unfiled = read(eventOf(ANA, 1), eventOf(BEN, 2), eventOf(ANA, 3, { hasCallback: true }))
  const { events, first, last, facts, hasCallback } = unfiled.get(ANA) ?? {}
  assert.deepEqual([events, first, last, facts, hasCallback], [['[1]', '[3]'], 1, 3, undefined, true])
  assert.deepEqual([unfiled.get(ANA)?.decode(assert.fail), unfiled.get(EVA)], [undefined, undefined])
})

test('returns the events after a position, in order', () => {
  const unfiled = read(eventOf(ANA, 1), eventOf(BEN, 2), eventOf(ANA, 3), eventOf(EVA, 5))
  assert.deepEqual(seqsAfter(unfiled, 0), [1, 2, 3, 5])
  assert.deepEqual(seqsAfter(unfiled, 2), [3, 5])
  assert.deepEqual(seqsAfter(unfiled, 4), [5])
  assert.deepEqual(seqsAfter(unfiled, 5), [])
  assert.deepEqual(seqsAfter(unfiled, 0, 2), [1, 2])
})

test('chooses ended messages first, and then those that have waited long enough', () => {
  const events = [eventOf(ANA, 1), eventOf(BEN, 2), eventOf(EVA, 3), eventOf(EVA, 4, { isFinal: true })]
  const choose = (most: number, before: number) => idsOf(read(...events).choose(most, before))
  assert.equal(read(...events).finals, 1)
  assert.deepEqual(choose(9, 0), [EVA])
  assert.deepEqual(choose(9, 1), [EVA, ANA])
  assert.deepEqual(choose(2, 2), [EVA, ANA])
  assert.deepEqual(choose(9, 3), [EVA, ANA, BEN])
})

test('a message ends once', () => {
  const unfiled = read(eventOf(ANA, 1, { isFinal: true }), eventOf(ANA, 2, { isFinal: true }))
  assert.equal(unfiled.finals, 1)
})

test('knows which message has waited longest among those that are not chosen', () => {
  const unfiled = read(eventOf(ANA, 1), eventOf(BEN, 2), eventOf(ANA, 3), eventOf(EVA, 4))
  assert.equal(unfiled.oldest()?.id, ANA)
  assert.deepEqual(idsOf(unfiled.chooseOldest(1)), [ANA])
  assert.equal(unfiled.oldest()?.id, BEN)
  assert.deepEqual(idsOf(unfiled.chooseOldest()), [ANA, BEN, EVA])
  assert.equal(unfiled.oldest(), undefined)
})

test('what was chosen and not filed can be chosen again', () => {
  const unfiled = read(eventOf(ANA, 1, { isFinal: true }), eventOf(BEN, 2))
  assert.deepEqual(idsOf(unfiled.choose(9, 9)), [ANA, BEN])
  unfiled.release()
  assert.equal(unfiled.oldest()?.id, ANA)
  assert.deepEqual(idsOf(unfiled.choose(9, 9)), [ANA, BEN])
})

test('a filed message is gone, and events that it gets later are new ones', () => {
  const unfiled = read(eventOf(ANA, 1), eventOf(BEN, 2), eventOf(ANA, 3, { isFinal: true }))
  unfiled.remove(unfiled.choose(1, 0))
  assert.deepEqual([unfiled.get(ANA), unfiled.finals, unfiled.oldest()?.id], [undefined, 0, BEN])
  assert.deepEqual([idsOf(unfiled.all()), seqsAfter(unfiled, 0)], [[BEN], [2]])
  unfiled.add(eventOf(ANA, 4), 4, 4)
  assert.deepEqual([unfiled.get(ANA)?.events, unfiled.get(ANA)?.first], [['[4]'], 4])
  assert.deepEqual(
    [idsOf(unfiled.all()), seqsAfter(unfiled, 0)],
    [
      [BEN, ANA],
      [2, 4],
    ],
  )
  unfiled.remove(unfiled.chooseOldest())
  assert.deepEqual([seqsAfter(unfiled, 0), unfiled.all(), unfiled.oldest()], [[], [], undefined])
})

test('skips filed messages between others', () => {
  const unfiled = read(eventOf(ANA, 1), eventOf(BEN, 2, { isFinal: true }), eventOf(EVA, 3), eventOf(ANA, 4))
  unfiled.remove(unfiled.choose(1, 0))
  assert.deepEqual(
    [idsOf(unfiled.all()), seqsAfter(unfiled, 0)],
    [
      [ANA, EVA],
      [1, 3, 4],
    ],
  )
  assert.deepEqual(idsOf(unfiled.choose(9, 9)), [ANA, EVA])
})
