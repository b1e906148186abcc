import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../../domain/ids.ts'
import type { Fact, MessageEvent } from '../../domain/message/events.ts'
import { CHANNELS, type Channel } from '../../domain/message/message.ts'
import { instant } from '../../lib/time.ts'
import type { Followed, Position } from '../../ports/event-log.ts'
import { type EventFilter, type Frame, heartbeatAt, keyOf, toFrame, writeFrames } from './event-frames.ts'

const DEAD: Fact = { kind: 'DeadLettered', code: 'TIMEOUT', detail: 'no answer' }
const CREATED: Fact = { kind: 'MessageCreated' }
const ACCEPTED: Fact = { kind: 'ProviderAccepted', reportId: 'r' }
const STATUS = 'sms.events.status.v1'
const DEAD_LETTER = 'sms.outbound.deadletter.v1'
const [ONE, OTHER] = ['one', 'other'] as [MessageId, MessageId]

type Given = Readonly<{ position?: number; messageId?: MessageId; channel?: Channel; fact?: Fact }>

/** An event of which two others are published where the message is dead. */
function followed({ position = 1, messageId = ONE, channel = 'sms', fact = CREATED }: Given = {}): Followed {
  const states = { handoffState: fact === DEAD ? 'failed' : 'queued', providerState: 'unknown', expired: false }
  const createdAt = instant(0)
  const state = { id: messageId, tenantId: 'acme', accountId: 'shop', channel, createdAt, ...states }
  const previousStatus = fact === CREATED ? {} : { previousStatus: fact === DEAD ? 'sending' : 'queued' }
  const event = { at: instant(1_000), attempt: 3, fact, state, ...previousStatus } as unknown as MessageEvent
  return { position: position as Position, messageId, event } as Followed
}

function frameOf(given: Given = {}): Frame {
  const frame = toFrame(followed(given))
  assert.ok(frame)
  return frame
}

const toId = (position: Position): string => `id-${position}`
const write = (frames: readonly Frame[], filter: EventFilter = {}): string => writeFrames(frames, filter, toId)

/** The lines of each server-sent event, as a client reads them. */
const read = (text: string): readonly (readonly string[])[] => {
  const frames = text.split('\n\n')
  assert.equal(frames.pop(), '')
  return frames.map((frame) => frame.split('\n'))
}
/** The ids and names of events, such as `id-1 sms.events.status.v1`. */
const namesOf = (text: string): readonly string[] =>
  read(text).map((lines) => lines.flatMap((line) => /^(?:id|event): (.*)$/.exec(line)?.slice(1) ?? []).join(' '))

test('an event is written with its id, its name and its data', () => {
  const data = { messageId: ONE, tenantId: 'acme', accountId: 'shop', at: '1970-01-01T00:00:01.000Z' }
  assert.deepEqual(read(write([frameOf({ position: 7 })])), [
    ['id: id-7', `event: ${STATUS}`, `data: ${JSON.stringify({ ...data, previousStatus: null, newStatus: 'queued' })}`],
  ])
})

test('a frame names the position, the tenant, the message and the channel of its event', () => {
  const { events, ...frame } = frameOf({ position: 7, messageId: OTHER, channel: 'email' })
  assert.deepEqual(frame, { position: 7, tenantId: 'acme', messageId: OTHER, channel: 'email' })
  assert.deepEqual(
    events.map(({ name }) => name),
    ['email.events.status.v1'],
  )
})

test('an event about which nothing is published has no frame', () => {
  assert.equal(toFrame(followed({ fact: ACCEPTED })), undefined)
})

test('data stays on one line, whatever is in it', () => {
  const fact: Fact = { kind: 'DeadLettered', code: 'a\n\nid: forged\r\ndata: b', detail: '' }
  const text = write([frameOf({ fact })], { event: DEAD_LETTER })
  const [lines = [], ...others] = read(text)
  assert.deepEqual([lines.length, others], [3, []])
  assert.ok(!text.includes('\r'))
  assert.equal(JSON.parse(lines[2]?.replace('data: ', '') ?? '').failureReason, fact.code)
})

test('of several events at one position only the last has the id', () => {
  const frames = [frameOf({ position: 1, fact: DEAD }), frameOf({ position: 2 })]
  assert.deepEqual(namesOf(write(frames)), [STATUS, `id-1 ${DEAD_LETTER}`, `id-2 ${STATUS}`])
})

test('with a filter by name, the last event that passes has the id', () => {
  const frames = [frameOf({ position: 1, fact: DEAD }), frameOf({ position: 2 })]
  assert.deepEqual(namesOf(write(frames, { event: STATUS })), [`id-1 ${STATUS}`, `id-2 ${STATUS}`])
  assert.deepEqual(namesOf(write(frames, { event: DEAD_LETTER })), [`id-1 ${DEAD_LETTER}`])
})

test('a client that goes on after the last id it got misses nothing, wherever it was cut off', () => {
  const frames = [1, 2, 3, 5].map((position) => frameOf({ position, fact: position % 2 === 1 ? DEAD : CREATED }))
  for (const filter of [{}, { event: STATUS }, { event: DEAD_LETTER }]) {
    const all = namesOf(write(frames, filter))
    for (const cut of all.keys()) {
      const ids = all.slice(0, cut).map((names) => Number(/id-(\d)/.exec(names)?.[1] ?? 0))
      const rest = frames.filter(({ position }) => position > Math.max(0, ...ids))
      assert.deepEqual(namesOf(write(rest, filter)).slice(cut - all.length), all.slice(cut))
    }
  }
})

test('a filter lets through only its message, its channel and its event, together', () => {
  const frames = [
    frameOf({ position: 1 }),
    frameOf({ position: 2, messageId: OTHER, fact: DEAD }),
    frameOf({ position: 3, channel: 'email' }),
  ]
  const positions = (filter: EventFilter) => namesOf(write(frames, filter)).map((names) => names.match(/id-(\d)/)?.[1])
  assert.deepEqual(positions({ messageId: ONE }), ['1', '3'])
  assert.deepEqual(positions({ channel: 'email' }), ['3'])
  assert.deepEqual(positions({ messageId: ONE, channel: 'sms', event: STATUS }), ['1'])
  assert.deepEqual(positions({ messageId: OTHER, channel: 'email' }), [])
  assert.equal(write(frames, { messageId: 'none' as MessageId }), '')
  assert.equal(write([]), '')
})

test('a heartbeat has an id and no event', () => {
  assert.deepEqual(read(heartbeatAt('id-9')), [[': keep-alive', 'id: id-9']])
})

test('filters have the same key if and only if they are equal', () => {
  const filters: EventFilter[] = [undefined, ...CHANNELS].flatMap((channel) =>
    [undefined, ONE, OTHER].flatMap((messageId) =>
      [undefined, STATUS, DEAD_LETTER].map((event) => ({
        ...(channel && { channel }),
        ...(messageId && { messageId }),
        ...(event && { event }),
      })),
    ),
  )
  assert.equal(new Set(filters.map(keyOf)).size, filters.length)
  const reversed = (filter: EventFilter): EventFilter => Object.fromEntries(Object.entries(filter).toReversed())
  assert.deepEqual(filters.map(reversed).map(keyOf), filters.map(keyOf))
})
