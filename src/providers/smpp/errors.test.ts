import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isThrottling, type SmppError, type StatusOverrides, toSmppError } from './errors.ts'

const summary = (error: SmppError | undefined): string => {
  if (error === undefined) return 'success'
  return error.kind === 'rejected' ? `rejected of the ${error.blame} ${error.code}` : `${error.kind} ${error.code}`
}

for (const [status, meaning] of [
  [0x00, 'success'],
  [0x01, 'rejected of the provider PROTOCOL_ERROR'],
  [0x04, 'deferred NOT_BOUND'],
  [0x08, 'deferred INTERNAL_ERROR'],
  [0x0a, 'rejected of the provider INVALID_SENDER_ID'],
  [0x0b, 'rejected of the message INVALID_NUMBER'],
  [0x0d, 'deferred BIND_FAILED'],
  [0x0e, 'rejected of the provider AUTHENTICATION_FAILED'],
  [0x14, 'deferred QUEUE_FULL'],
  [0x15, 'rejected of the provider INVALID_SERVICE_TYPE'],
  [0x44, 'rejected of the provider PROTOCOL_ERROR'],
  [0x45, 'deferred SUBMIT_FAILED'],
  [0x51, 'rejected of the provider INVALID_ADDRESS_TYPE'],
  [0x53, 'rejected of the provider AUTHENTICATION_FAILED'],
  [0x58, 'deferred RATE_LIMITED'],
  [0x62, 'rejected of the provider PROTOCOL_ERROR'],
  [0x64, 'deferred RECEIVER_ERROR'],
  [0x65, 'rejected of the message MESSAGE_REJECTED'],
  [0x66, 'rejected of the message MESSAGE_REJECTED'],
  [0x67, 'deferred QUERY_FAILED'],
  [0xc3, 'rejected of the provider PROTOCOL_ERROR'],
  [0xfe, 'rejected of the message DELIVERY_FAILED'],
  [0xff, 'deferred UNKNOWN_ERROR'],
  [0x101, 'rejected of the provider NOT_ALLOWED'],
  [0x102, 'deferred SERVICE_UNAVAILABLE'],
  [0x400, 'rejected of the provider SMPP_0X400'],
  [0x4ff, 'rejected of the provider SMPP_0X4FF'],
  [0x999, 'rejected of the provider SMPP_0X999'],
] as const) {
  test(`status 0x${status.toString(16)} is ${meaning}`, () => {
    assert.equal(summary(toSmppError(status)), meaning)
  })
}

test('the settings override the meaning of a status', () => {
  const overrides: StatusOverrides = { 1024: 'later', 1025: 'message', 11: 'provider', 0: 'later' }
  assert.equal(summary(toSmppError(0x400, overrides)), 'deferred SMPP_0X400')
  assert.equal(summary(toSmppError(0x401, overrides)), 'rejected of the message SMPP_0X401')
  assert.equal(summary(toSmppError(0x402, overrides)), 'rejected of the provider SMPP_0X402')
  assert.equal(summary(toSmppError(0x0b, overrides)), 'rejected of the provider INVALID_NUMBER')
  assert.equal(toSmppError(0, overrides), undefined)
})

test('only two statuses are throttling, and both are deferred', () => {
  const all = Array.from({ length: 0x500 }, (_, status) => status)
  assert.deepEqual(all.filter(isThrottling), [0x14, 0x58])
  for (const status of all.filter(isThrottling)) assert.equal(toSmppError(status)?.kind, 'deferred')
})

test('S1-P11 any status has one meaning, the same each time', () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: 1, max: 0x500 }), fc.nat(0xffffffff)), (status) => {
      const meaning = toSmppError(status)
      assert.deepEqual(toSmppError(status), meaning)
      assert.equal(meaning === undefined, status === 0)
      assert.ok(meaning === undefined || (/^[A-Z][A-Z0-9_]*$/.test(meaning.code) && meaning.detail.length > 0))
    }),
    { numRuns: 1000 },
  )
})
