import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, BatchId, OperatorId, ProviderName, RouteId } from '../../domain/ids.ts'
import type { Country } from '../../domain/message/country.ts'
import { type MessageState, toFirstState } from '../../domain/message/state.ts'
import { instant } from '../../lib/time.ts'
import type { Revision } from '../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  nextEntry,
  someContent,
  someMessage,
} from '../../ports/samples.contract.ts'
import { decodeEvent, decodeState, encodeEvent, encodeMessage, encodeState, messageIdOf } from './codec.ts'

test('events and states survive a round trip', () => {
  const message = someMessage()
  let { event } = createdEntry(message, someContent())
  for (const fact of [ATTEMPTED, ACCEPTED, delivered()]) {
    assert.deepEqual(decodeEvent(event.id, encodeMessage(event.state), encodeEvent(event)), event)
    assert.deepEqual(decodeState(encodeMessage(event.state), encodeState(event.state)), event.state)
    event = nextEntry({ event, revision: 1 as Revision }, fact).event
  }
})

test('a manual resolution keeps the account that made it', () => {
  const resolvedBy = 'desk' as AccountId
  const created = createdEntry(someMessage(), someContent())
  const attempted = nextEntry({ event: created.event, revision: 1 as Revision }, ATTEMPTED)
  for (const fact of [
    { kind: 'HandoffAccepted', by: 'person', resolvedBy },
    { kind: 'HandoffFailed', code: 'RESOLVED_NOT_SENT', detail: 'no', resolvedBy },
    { kind: 'ResendRequested', by: 'person', resolvedBy },
  ] as const) {
    const { event } = nextEntry({ event: attempted.event, revision: 2 as Revision }, fact)
    assert.deepEqual(decodeEvent(event.id, encodeMessage(event.state), encodeEvent(event)), event)
  }
})

test('no field of a state is lost', () => {
  const full: Required<MessageState> = {
    ...toFirstState(someMessage()),
    expiresAt: instant(1),
    callback: true,
    contentSize: 512,
    httpRequestId: 'checkout-1138',
    country: 'PT' as Country,
    unsampled: true,
    batchId: 'b1' as BatchId,
    template: 'welcome',
    receipts: 'all',
    attemptedAt: instant(2),
    owner: 'a worker',
    dueAt: instant(3),
    provider: 'acme' as ProviderName,
    excluded: ['other' as ProviderName],
    routeId: 'r1' as RouteId,
    operatorId: 'o1' as OperatorId,
    providerMessageId: 'SM1',
    errorCode: 'BROKEN',
    errorDetail: '',
    handedOffAt: instant(4),
    noDeliveryReports: true,
    waitingSince: instant(3_000),
    avoided: ['two' as ProviderName],
    endedAt: instant(5),
    expired: true,
    dead: true,
    erased: true,
    recipientKept: true,
  }
  assert.deepEqual(decodeState(encodeMessage(full), encodeState(full)), full)
  for (const field of ['batchId', 'template'] as const) {
    const { [field]: _, ...rest } = full
    assert.deepEqual(decodeState(encodeMessage(rest), encodeState(rest)), rest)
  }
})

test('a batch and a template add nothing to messages without them', () => {
  const { length } = JSON.parse(encodeMessage(someMessage()))
  assert.equal(length, 16)
})

test('reads the id without decoding the rest', () => {
  const message = someMessage()
  assert.equal(messageIdOf(encodeMessage(message)), message.id)
})
