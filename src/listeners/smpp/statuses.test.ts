import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimited, refuse } from '../../flows/errors.ts'
import { seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { STATUS } from './pdu.ts'
import { Answered, statusOf, statusOfField } from './statuses.ts'

for (const [code, status] of [
  ['SEND_QUOTA_EXCEEDED', 0x14],
  ['NO_ROUTE_FOUND', 0x0b],
  ['SENDER_NOT_ALLOWED', 0x0a],
  ['TENANT_SUSPENDED', 0x65],
  ['TEST_MODE_UNAVAILABLE', 0x65],
  ['IDEMPOTENCY_MISMATCH', 0x45],
  ['VALIDATION_ERROR', 0x62],
  ['CONFLICT', 0x45],
] as const) {
  test(`${code} is answered with ${status.toString(16)}`, () => {
    assert.equal(statusOf(refuse(code, 'detail')), status)
  })
}

test('limits are ESME_RTHROTTLED, outages ESME_RSYSERR, and faults are not statuses', () => {
  assert.equal(statusOf(new RateLimited([], seconds(1))), 0x58)
  assert.equal(statusOf(new Unavailable('the store is away')), 0x08)
  assert.equal(statusOf(new Answered(STATUS.invalidExpiry)), 0x62)
  assert.equal(statusOf(new Error('a bug')), undefined)
})

test('a field of the API has the status of what the client wrote', () => {
  assert.deepEqual(['to', 'sender_id', 'message', 'metadata'].map(statusOfField), [0x0b, 0x0a, 0x01, 0x45])
})
