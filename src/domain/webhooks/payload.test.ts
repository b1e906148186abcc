import assert from 'node:assert/strict'
import { test } from 'node:test'
import { later, seconds } from '../../lib/time.ts'
import { EMPTY } from '../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  NOON,
  nextEntry,
  retryAt,
  someContent,
  someMessage,
} from '../../ports/samples.contract.ts'
import type { EventId } from '../ids.ts'
import type { Fact, MessageEvent } from '../message/events.ts'
import { type PendingEvents, toPayload, toPending, toWebhookId } from './payload.ts'

const RETRIED = retryAt(NOON)
const FACTS: readonly Fact[] = [ATTEMPTED, RETRIED, ATTEMPTED, ACCEPTED, delivered(), { kind: 'MessageErased' }]

/** The events of a message, one second apart, at positions 10, 20 and so on. */
function eventsOf(facts = FACTS): readonly Readonly<{ position: number; event: MessageEvent }>[] {
  const events = [createdEntry(someMessage()).event]
  for (const fact of facts) {
    const newest = events.at(-1)
    assert.ok(newest !== undefined)
    events.push(nextEntry({ revision: EMPTY, event: newest }, fact).event)
  }
  return events.map((event, n) => ({ position: 10 * (n + 1), event }))
}

const ALL: PendingEvents = { deliveredThrough: 0, since: NOON, events: [] }
const positions = (filter: Partial<PendingEvents>): number[] =>
  toPending(eventsOf(), { ...ALL, ...filter }).map(({ position }) => position)

test('every status change is an event, in order, and nothing else', () => {
  const payloads = toPending(eventsOf(), ALL).map(({ event }) => toPayload(event, undefined))
  assert.deepEqual(
    payloads.map(({ type, data }) => [type, data['previous_status'], data['attempts']]),
    [
      ['message.queued', null, 0],
      ['message.sending', 'queued', 1],
      ['message.sent', 'sending', 2],
      ['message.delivered', 'sent', 2],
    ],
  )
})

test('skips events that are delivered, older than the endpoint, or not subscribed to', () => {
  assert.deepEqual(positions({}), [10, 20, 50, 60])
  assert.deepEqual(positions({ deliveredThrough: 20 }), [50, 60])
  assert.deepEqual(positions({ deliveredThrough: 19 }), [20, 50, 60])
  assert.deepEqual(positions({ deliveredThrough: 60 }), [])
  assert.deepEqual(positions({ since: later(NOON, seconds(1)) }), [20, 50, 60])
  assert.deepEqual(positions({ since: later(NOON, seconds(4)) }), [50, 60])
  assert.deepEqual(positions({ events: ['message.delivered', 'message.failed'] }), [60])
  assert.deepEqual(positions({ events: ['message.expired'] }), [])
})

test('the payload has the state at the event, with the recipient masked and without the text', () => {
  const content = someContent()
  const [, , , , sent] = eventsOf()
  assert.ok(sent !== undefined)
  const { state } = sent.event
  const payload = toPayload(sent.event, content)
  const at = new Date(NOON + 4_000).toISOString()
  assert.deepEqual(payload, {
    type: 'message.sent',
    timestamp: at,
    data: {
      message_id: state.id,
      status: 'sent',
      previous_status: 'sending',
      channel: 'sms',
      type: 'sms',
      to: '+*******4321',
      provider: 'acme',
      provider_message_id: 'SM1',
      error_code: null,
      error_detail: null,
      attempts: 2,
      cycle: 1,
      segments: 1,
      metadata: { order: 'A-17', city: 'São Paulo' },
      tags: ['welcome', 'spring-sale'],
      created_at: new Date(NOON).toISOString(),
      occurred_at: at,
    },
  })
  const text = JSON.stringify(payload)
  for (const secret of [content.body, content.to, '987654321']) assert.ok(!text.includes(secret))
})

test('the payload of an erased message has no recipient, metadata or tags', () => {
  const [first] = eventsOf()
  assert.ok(first !== undefined)
  const { to, metadata, tags } = toPayload(first.event, undefined).data
  assert.deepEqual([to, metadata, tags], [null, {}, []])
})

test('the webhook id of an event is stable, unique and without a dot', () => {
  const names = eventsOf().map(({ event }) => toWebhookId(event))
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^evt_[\w-]+$/)
})

test('an event of an earlier release keeps the webhook id it had', () => {
  const [first] = eventsOf()
  assert.ok(first !== undefined)
  const id = '0123456789abcdef'.repeat(4) as EventId
  assert.equal(toWebhookId({ ...first.event, id }), 'evt_0123456789abcdef0123456789abcdef')
})
