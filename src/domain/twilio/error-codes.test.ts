import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY } from '../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  NOON,
  nextEntry,
  retryAt,
  someMessage,
} from '../../ports/samples.contract.ts'
import { ERROR_TEXTS } from '../message/error-texts.ts'
import type { Fact } from '../message/events.ts'
import type { MessageState } from '../message/state.ts'
import { toTwilioError, toTwilioErrorCode } from './error-codes.ts'
import { toTwilioStatus } from './message-status.ts'

/** The state of a message after these facts. */
function after(...facts: readonly Fact[]): MessageState {
  let { event } = createdEntry(someMessage())
  for (const fact of facts) event = nextEntry({ revision: EMPTY, event }, fact).event
  return event.state
}

const failed = (code: string): Fact => ({ kind: 'HandoffFailed', code, detail: 'so it is' })
const EXPIRED: Fact = { kind: 'MessageExpired' }
const bounced = (code: string): Fact => ({ kind: 'ProviderBounced', reportId: 'r1', code, detail: 'so it is' }) as Fact

test('every error has a code of Twilio, of five digits', () => {
  for (const code of [...Object.keys(ERROR_TEXTS), 'HTTP_503', 'anything', undefined]) {
    assert.match(String(toTwilioErrorCode(code)), /^\d{5}$/, code)
  }
})

test('a code of Twilio that Pombo does not list comes through', () => {
  assert.equal(toTwilioErrorCode('TWILIO_30999'), 30_999)
  assert.equal(toTwilioErrorCode('TWILIO_x'), 30_008)
})

test('the status of a message is that of Twilio', () => {
  const cases: readonly (readonly [readonly Fact[], string, number | undefined])[] = [
    [[], 'queued', undefined],
    [[ATTEMPTED], 'sending', undefined],
    [[ATTEMPTED, retryAt(NOON)], 'sending', undefined],
    [[ATTEMPTED, ACCEPTED], 'sent', undefined],
    [[ATTEMPTED, ACCEPTED, delivered()], 'delivered', undefined],
    [[ATTEMPTED, failed('INVALID_NUMBER')], 'failed', 30_005],
    [[EXPIRED], 'failed', 30_036],
    [[ATTEMPTED, ACCEPTED, bounced('UNREACHABLE')], 'undelivered', 30_003],
    [
      [ATTEMPTED, ACCEPTED, { kind: 'ProviderTimedOut', reportId: 'r1', code: 'EXPIRED' } as Fact],
      'undelivered',
      30_036,
    ],
  ]
  for (const [facts, status, code] of cases) {
    const state = after(...facts)
    assert.deepEqual([toTwilioStatus(state), toTwilioError(state)?.code], [status, code])
  }
  assert.equal(toTwilioError(after(ATTEMPTED, failed('NUMBER_BLOCKED')))?.message, ERROR_TEXTS.NUMBER_BLOCKED.meaning)
})
