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
import type { Fact, MessageEvent } from '../message/events.ts'
import { type PendingEvents, toPayload, toPending, toWebhookId } from './payload.ts'

const RETRIED = retryAt(NOON)
const FACTS: readonly Fact[] = [ATTEMPTED, RETRIED, ATTEMPTED, ACCEPTED, delivered(), { kind: 'MessageErased' }]

/** A message whose events happen a second apart, at the positions 10, 20 and so on. */
function life(facts = FACTS): readonly Readonly<{ position: number; event: MessageEvent }>[] {
  const events = [createdEntry(someMessage()).event]
  for (const fact of facts) {
    const newest = events.at(-1)
    assert.ok(newest !== undefined)
    events.push(nextEntry({ revision: EMPTY, event: newest }, fact).event)
  }
  return events.map((event, n) => ({ position: 10 * (n + 1), event }))
}

const ALL: PendingEvents = { deliveredThrough: 0, since: NOON, events: [] }
const positions = (wish: Partial<PendingEvents>): number[] =>
  toPending(life(), { ...ALL, ...wish }).map(({ position }) => position)

test('every change of status is told, in order, and nothing else', () => {
  const told = toPending(life(), ALL).map(({ event }) => toPayload(event, undefined))
  assert.deepEqual(
    told.map(({ type, data }) => [type, data['previous_status'], data['attempts']]),
    [
      ['message.queued', null, 0],
      ['message.sending', 'queued', 1],
      ['message.sent', 'sending', 2],
      ['message.delivered', 'sent', 2],
    ],
  )
})

test('what was told, what happened before and what nobody asked for is passed over', () => {
  assert.deepEqual(positions({}), [10, 20, 50, 60])
  assert.deepEqual(positions({ deliveredThrough: 20 }), [50, 60])
  assert.deepEqual(positions({ deliveredThrough: 19 }), [20, 50, 60])
  assert.deepEqual(positions({ deliveredThrough: 60 }), [])
  assert.deepEqual(positions({ since: later(NOON, seconds(1)) }), [20, 50, 60])
  assert.deepEqual(positions({ since: later(NOON, seconds(4)) }), [50, 60])
  assert.deepEqual(positions({ events: ['message.delivered', 'message.failed'] }), [60])
  assert.deepEqual(positions({ events: ['message.expired'] }), [])
})

test('it says how the message stood then, with the recipient masked and without its text', () => {
  const content = someContent()
  const [, , , , sent] = life()
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

test('of an erased message neither recipient nor metadata nor tags are told', () => {
  const [first] = life()
  assert.ok(first !== undefined)
  const { to, metadata, tags } = toPayload(first.event, undefined).data
  assert.deepEqual([to, metadata, tags], [null, {}, []])
})

test('an event has one name, whoever is told of it, and no dot is in it', () => {
  const names = life().map(({ event }) => toWebhookId(event))
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^evt_[0-9a-f]{32}$/)
})
