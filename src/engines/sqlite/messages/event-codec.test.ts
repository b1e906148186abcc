import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageEvent } from '../../../domain/message/events.ts'
import { fold, type MessageState } from '../../../domain/message/state.ts'
import { toStatus } from '../../../domain/message/states.ts'
import { instant, later, millis } from '../../../lib/time.ts'
import { someHistory } from '../../../ports/email-histories.contract.ts'
import {
  ACCEPTED,
  ACME,
  ATTEMPTED,
  createdEntry,
  DEAD,
  delivered,
  NOON,
  retryAt,
  someMessage,
  toEventId,
  unknownUntil,
  VALIDATED,
  withHashedId,
} from '../../../ports/samples.contract.ts'
import { encodeMessage, encodeEvent as encodeWhole } from '../../shared/codec.ts'
import { decodeFrame } from '../journal/frame.ts'
import {
  appendEvents,
  decodeEvents,
  decodeState,
  encodeEvent,
  joinEvents,
  parseEvents,
  seqOf,
  timeOf,
} from './event-codec.ts'

type Events = readonly MessageEvent[]

/** At the positions 10, 20, 30 and so on. */
const encode = (events: Events): readonly string[] =>
  events.map((event, nth) => encodeEvent((nth + 1) * 10, event, events[nth - 1]?.state))

const factsOf = ([first]: Events): string => encodeMessage(first?.state ?? assert.fail())
const eventsIn = (facts: string, text: string): Events => decodeEvents(facts, text).map(({ event }) => event)

/** The lines of these events in a journal of an earlier release. */
const earlierLines = (events: Events): string =>
  events
    .map((event, nth) => {
      const subject =
        nth === 0
          ? `first\t${nth + 1}\t${event.id}\t${encodeMessage(event.state)}`
          : `next\t${nth + 1}\t${event.id}\t${event.state.id}`
      return `${subject}\t${encodeWhole(event)}`
    })
    .join('\n')

/** Facts that set and clear every field of the state. */
const FACTS = [
  VALIDATED,
  ATTEMPTED,
  { ...ATTEMPTED, operatorId: 'op' },
  ACCEPTED,
  { kind: 'HandoffAccepted', by: 'answer', noDeliveryReports: true },
  unknownUntil(NOON),
  retryAt(NOON),
  { ...retryAt(NOON), exclude: ACME },
  { ...retryAt(NOON), avoid: ACME, uncounted: true },
  { ...retryAt(NOON), startsOver: true },
  { kind: 'HandoffFailed', code: '', detail: '' },
  DEAD,
  { ...DEAD, outcome: 'unknown' },
  delivered(),
  { kind: 'ProviderBounced', reportId: 'a\tb\n"c"', code: '\ud800', detail: 'x\0y' },
  { kind: 'MessageExpired' },
  { kind: 'ResendRequested', by: 'resend' },
  { kind: 'MessageErased', kept: 'recipient' },
  { kind: 'MessageErased' },
] as readonly MessageEvent['fact'][]

const OTHER_TRACE = someMessage().traceId

/** Any facts in any order: the codec does not know the rules. */
const anyEvents: fc.Arbitrary<Events> = fc
  .array(fc.record({ fact: fc.constantFrom(...FACTS), wait: fc.nat(5_000), traced: fc.boolean(), late: fc.boolean() }))
  .map((steps) => {
    const first = createdEntry(someMessage({ expiresAt: instant(NOON + 1), callback: true, contentSize: 70 })).event
    const events = [first]
    for (const { fact, wait, traced, late } of steps) {
      const before: MessageState = events.at(-1)?.state ?? first.state
      const at = later(before.updatedAt, millis(wait))
      const [cycle, attempt] = [before.cycle, late ? Math.max(0, before.attempt - 1) : before.attempt]
      const id = toEventId(first.state.id, cycle, attempt, fact)
      const traceId = traced ? OTHER_TRACE : first.traceId
      const state = fold(before, fact, { at, cycle, attempt })
      events.push({ id, cycle, attempt, at, traceId, fact, previousStatus: toStatus(before), state })
    }
    return events
  })

/** Its facts have no prototype. */
const mailEvents = someHistory.map(
  ({ events }): Events => events.map((event) => ({ ...event, fact: { ...event.fact } })),
)
const histories = fc.oneof(anyEvents, mailEvents)

test('any sequence of events decodes to the same events and states', () => {
  const property = fc.property(histories, (events) => {
    const [facts, text] = [factsOf(events), joinEvents(encode(events))]
    assert.deepEqual(eventsIn(facts, text), events)
    assert.deepEqual(decodeState(facts, text), events.at(-1)?.state)
  })
  fc.assert(property, { numRuns: 500 })
})

test('events that are added later, to a state that was decoded, decode to the same events', () => {
  const property = fc.property(histories, fc.nat(), (events, cut) => {
    const facts = factsOf(events)
    const at = 1 + (cut % events.length)
    const filed = joinEvents(encode(events.slice(0, at)))
    const more = events.slice(at)
    const decoded = decodeState(facts, filed)
    const encoded = more.map((event, nth) => encodeEvent((at + nth + 1) * 10, event, more[nth - 1]?.state ?? decoded))
    if (encoded.length > 0) assert.deepEqual(eventsIn(facts, appendEvents(filed, encoded)), events)
  })
  fc.assert(property, { numRuns: 300 })
})

test('frames of an earlier release decode to the same events, also followed by new ones', () => {
  const property = fc.property(histories, fc.nat(), (events, cut) => {
    const facts = factsOf(events)
    const at = 1 + (cut % events.length)
    const framed = decodeFrame(earlierLines(events.slice(0, at)))
    const earlier = framed.map(({ event }) => event)
    const newer = encode(events).slice(at)
    assert.equal(framed[0]?.facts, facts)
    assert.deepEqual(
      framed.map(({ seq, at: time, messageId }) => [seq, time, messageId]),
      events.slice(0, at).map((event, nth) => [nth + 1, event.at, event.state.id]),
    )
    assert.deepEqual(eventsIn(facts, joinEvents([...earlier, ...newer])), events)
  })
  fc.assert(property, { numRuns: 300 })
})

test('frames of an earlier release have the content and the gist of a first event, and tell which event is the last', () => {
  const { event } = createdEntry()
  const line = `${earlierLines([event])}\t{"to":"x"}\t{"gist":1}`
  const [first] = decodeFrame(line)
  assert.deepEqual([first?.content, first?.gist, first?.isFinal], ['{"to":"x"}', '{"gist":1}', false])
  const [final] = decodeFrame(`final\t2\t${event.id}\t${event.state.id}\t${encodeWhole(event)}`)
  assert.deepEqual([final?.isFinal, final?.facts, final?.content], [true, undefined, undefined])
})

test('ids that are hashes, as earlier releases gave, are kept', () => {
  const event = withHashedId(createdEntry().event)
  assert.deepEqual(eventsIn(factsOf([event]), joinEvents(encode([event]))), [event])
})

test('a state may be newer than its event', () => {
  const { event } = createdEntry()
  const odd = { ...event, state: { ...event.state, updatedAt: later(event.at, millis(5)) } }
  assert.deepEqual(eventsIn(factsOf([odd]), joinEvents(encode([odd]))), [odd])
})

test('an event holds only what it changed', () => {
  const message = someMessage({ createdAt: instant(NOON) })
  const first = createdEntry(message).event
  const state = { ...first.state, updatedAt: later(first.at, millis(1)) }
  const next: MessageEvent = { ...first, fact: VALIDATED, at: state.updatedAt, state }
  const [, second] = parseEvents(joinEvents(encode([first, next])))
  assert.deepEqual(second?.at(-1), {})
})

test('tells positions and times without decoding', () => {
  const { event } = createdEntry()
  const second = { ...event, at: later(event.at, millis(7)) }
  const encoded = encode([event, second])
  assert.deepEqual(encoded.map(seqOf), [10, 20])
  const text = joinEvents(encoded)
  assert.deepEqual([timeOf(text, 10), timeOf(text, 20), timeOf(text, 30)], [event.at, second.at, 0])
  assert.deepEqual(
    decodeEvents(factsOf([event]), text).map(({ position, revision }) => [position, revision]),
    [
      [10, 10],
      [20, 20],
    ],
  )
})
