import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { AccountId, EventId, MessageId, TenantId, TraceId } from '../ids.ts'
import type { Fact, MessageEvent } from './events.ts'
import { toIntegrationEvents } from './integration-events.ts'
import { CHANNELS } from './message.ts'
import { type MessageState, toFirstState } from './state.ts'
import type { Status } from './states.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c' as TraceId
const FIRST: MessageState = toFirstState({
  id: '018f4f5e-7c1a-7abc-9def-0123456789ab' as MessageId,
  tenantId: 'acme' as TenantId,
  accountId: 'shop' as AccountId,
  channel: 'sms',
  kind: 'sms',
  lane: 'otp',
  segments: 1,
  encoding: 'gsm7',
  createdAt: instant(0),
  traceId: TRACE,
})

const COMMON = { messageId: FIRST.id, tenantId: 'acme', accountId: 'shop', at: '1970-01-01T00:00:01.000Z' }

function eventOf(fact: Fact, change: Partial<MessageState>, previousStatus?: Status): MessageEvent {
  const state = { ...FIRST, ...change }
  const event = { id: 'e' as EventId, cycle: 1, attempt: 3, at: instant(1_000), traceId: TRACE, fact, state }
  return previousStatus === undefined ? event : { ...event, previousStatus }
}

test('the first event has the first status and no previous status', () => {
  const data = { ...COMMON, previousStatus: null, newStatus: 'queued' }
  assert.deepEqual(toIntegrationEvents(eventOf({ kind: 'MessageCreated' }, {})), [
    { name: 'sms.events.status.v1', data },
  ])
})

test('a status change has the previous status', () => {
  const event = eventOf({ kind: 'ProviderDelivered', reportId: 'r' }, { providerState: 'delivered' }, 'sent')
  const data = { ...COMMON, previousStatus: 'sent', newStatus: 'delivered' }
  assert.deepEqual(toIntegrationEvents(event), [{ name: 'sms.events.status.v1', data }])
})

test('a fact without a status change is not published', () => {
  const event = eventOf({ kind: 'ProviderAccepted', reportId: 'r' }, { handoffState: 'handed_off' }, 'sent')
  assert.deepEqual(toIntegrationEvents(event), [])
})

test('a retry is published with its reason and due time', () => {
  const retry: Fact = { kind: 'RetryScheduled', dueAt: instant(3_000), code: 'BUSY', detail: 'later' }
  const data = { ...COMMON, attempt: 3, reason: 'BUSY', dueAt: '1970-01-01T00:00:03.000Z' }
  const events = toIntegrationEvents(eventOf(retry, { handoffState: 'sending' }, 'sending'))
  assert.deepEqual(events, [{ name: 'sms.outbound.retry.v1', data }])
})

test('a dead letter is published as a status change and as a dead letter', () => {
  const dead: Fact = { kind: 'DeadLettered', code: 'BUSY', detail: 'too often' }
  const data = { ...COMMON, failureReason: 'BUSY', attemptCount: 3, failedAt: COMMON.at }
  assert.deepEqual(toIntegrationEvents(eventOf(dead, { handoffState: 'failed' }, 'sending')), [
    { name: 'sms.events.status.v1', data: { ...COMMON, previousStatus: 'sending', newStatus: 'failed' } },
    { name: 'sms.outbound.deadletter.v1', data },
  ])
})

test('event names start with the channel', () => {
  const dead: Fact = { kind: 'DeadLettered', code: 'BUSY', detail: 'too often' }
  for (const channel of CHANNELS) {
    const events = toIntegrationEvents(eventOf(dead, { channel, handoffState: 'failed' }, 'sending'))
    const names: readonly string[] = events.map(({ name }) => name)
    assert.deepEqual(names, [`${channel}.events.status.v1`, `${channel}.outbound.deadletter.v1`])
  }
})
