import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { AccountId, EventId, MessageId, ProviderName, RouteId, TenantId, TraceId } from '../ids.ts'
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

/** What the dead letter says besides the fields that every event has. */
function deadLetterOf(fact: Fact, change: Partial<MessageState> = {}): Readonly<Record<string, unknown>> {
  const events = toIntegrationEvents(eventOf(fact, { ...change, handoffState: 'failed' }, 'sending'))
  const { messageId, tenantId, accountId, at, ...rest } =
    events.find(({ name }) => name === 'sms.outbound.deadletter.v1')?.data ?? {}
  assert.deepEqual({ messageId, tenantId, accountId, at }, COMMON)
  return rest
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
  const [status, ...letters] = toIntegrationEvents(eventOf(dead, { handoffState: 'failed' }, 'sending'))
  const changed = { ...COMMON, previousStatus: 'sending', newStatus: 'failed' }
  assert.deepEqual(status, { name: 'sms.events.status.v1', data: changed })
  assert.deepEqual(
    letters.map(({ name }) => name),
    ['sms.outbound.deadletter.v1'],
  )
  const { failureReason, attemptCount, failedAt } = deadLetterOf(dead)
  assert.deepEqual([failureReason, attemptCount, failedAt], ['BUSY', 3, COMMON.at])
})

test('a dead letter carries the message, and its sealed parts by the calls that open them', () => {
  const dead: Fact = { kind: 'DeadLettered', code: 'BUSY', originalCode: '0x58', detail: 'too often' }
  const { lastError, outcomeUnknown, message, content } = deadLetterOf(dead, {
    lane: 'bulk',
    segments: 3,
    provider: 'acme' as ProviderName,
    routeId: 'r1' as RouteId,
    httpRequestId: 'checkout-1138',
  })
  assert.deepEqual([lastError, outcomeUnknown], [{ code: 'BUSY', originalCode: '0x58', detail: 'too often' }, false])
  assert.deepEqual(message, {
    type: 'sms',
    lane: 'bulk',
    segmentCount: 3,
    encoding: 'gsm7',
    cycle: 1,
    provider: 'acme',
    operatorId: null,
    routeId: 'r1',
    enqueuedAt: '1970-01-01T00:00:00.000Z',
    expiresAt: null,
    traceId: TRACE,
    httpRequestId: 'checkout-1138',
    href: `/v1/messages/${FIRST.id}`,
  })
  assert.deepEqual(content, { href: `/v1/messages/${FIRST.id}/content` })
})

test('a dead letter says that the provider may have it, and does not refer to what cannot be opened', () => {
  const dead: Fact = { kind: 'DeadLettered', outcome: 'unknown', code: 'ABANDONED', detail: '' }
  assert.equal(deadLetterOf(dead)['outcomeUnknown'], true)
  assert.equal(deadLetterOf(dead, { lane: 'otp' })['content'], null)
  assert.equal(deadLetterOf(dead, { lane: 'bulk', erased: true })['content'], null)
})

test('event names start with the channel', () => {
  const dead: Fact = { kind: 'DeadLettered', code: 'BUSY', detail: 'too often' }
  for (const channel of CHANNELS) {
    const events = toIntegrationEvents(eventOf(dead, { channel, handoffState: 'failed' }, 'sending'))
    const names: readonly string[] = events.map(({ name }) => name)
    assert.deepEqual(names, [`${channel}.events.status.v1`, `${channel}.outbound.deadletter.v1`])
  }
})
