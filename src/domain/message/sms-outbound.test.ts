import assert from 'node:assert/strict'
import { test } from 'node:test'
import { millis } from '../../lib/time.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  NOON,
  nextEntry,
  retryAt,
  someContent,
} from '../../ports/samples.contract.ts'
import { toUserAddress } from '../directory/user-address.ts'
import type { SmsContent } from './message.ts'
import { isSmsSent, toSmsOutbound } from './sms-outbound.ts'

const text = (fields: Partial<SmsContent>): SmsContent => {
  const { recipientId: _, recipientExternalId: __, ...content } = someContent() as SmsContent
  return { ...content, ...fields }
}

test('the user is who the caller named, by an external id or without a phone', () => {
  const body = 'Hello World'
  assert.deepEqual(toSmsOutbound(text({ to: toUserAddress(101), body })), { userId: 101, message: body })
  assert.deepEqual(toSmsOutbound(text({ recipientExternalId: '101', body })), { userId: 101, message: body })
  assert.deepEqual(toSmsOutbound(text({ to: toUserAddress(0), body })), { userId: 0, message: body })
})

test('a text to a number, or to somebody whose id is not a number of a user, is not published', () => {
  assert.equal(toSmsOutbound(text({})), undefined)
  for (const recipientExternalId of ['', 'ana', '0101', '-1', '1.5', '1e3', '2147483648']) {
    assert.equal(toSmsOutbound(text({ recipientExternalId })), undefined, recipientExternalId)
  }
})

test('a one-time code is never published', () => {
  const otp = { code: '123456', ttl: millis(60_000), maxAttempts: 3 }
  assert.equal(toSmsOutbound(text({ to: toUserAddress(101), otp })), undefined)
})

test('an SMS was sent when a provider has accepted it, and only then', () => {
  let last = { revision: 0 as never, event: createdEntry().event }
  const happen = (fact: Parameters<typeof nextEntry>[1]): boolean => {
    const { event } = nextEntry(last, fact)
    last = { ...last, event }
    return isSmsSent(event)
  }
  assert.deepEqual(
    [
      isSmsSent(last.event),
      happen(ATTEMPTED),
      happen(retryAt(NOON)),
      happen(ATTEMPTED),
      happen(ACCEPTED),
      happen(delivered()),
    ],
    [false, false, false, false, true, false],
  )
})
