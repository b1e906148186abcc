import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { toMessageBirdError, toMessageBirdReason } from './messagebird/errors.ts'
import { byHttpStatus, type ProviderError } from './provider-errors.ts'
import { toTwilioError, toTwilioReason } from './twilio/errors.ts'

const summary = (error: ProviderError): string => {
  const { kind, code } = error
  return [kind, ...('blame' in error ? [`of the ${error.blame}`] : []), code].join(' ')
}

const status = fc.integer({ min: 100, max: 599 })
const anyCode = fc.option(fc.oneof(fc.integer(), fc.integer({ min: 20_000, max: 31_000 }), fc.integer({ max: 99 })), {
  nil: undefined,
})
const parameter = fc.option(fc.oneof(fc.string(), fc.constantFrom('originator', 'recipients')), { nil: undefined })

/** Statuses of proxies that do not know what the provider did. */
const OPEN = new Set([504, 520, 524, 598, 599])
const MOVED = new Set([301, 307, 308])

describe('S1-P11 any error has one meaning, the same each time', () => {
  const check = (given: number, read: () => ProviderError): void => {
    const meaning = read()
    assert.deepEqual(read(), meaning)
    assert.ok(/^[A-Z][A-Z0-9_-]*$/.test(meaning.code) && meaning.detail.length > 0)
    // A server error never rejects the message, and a status that is no error leaves the outcome unknown.
    if (OPEN.has(given)) assert.equal(meaning.kind, 'unknown')
    else if (given >= 500) assert.equal(meaning.kind, 'deferred')
    else if (given < 400 && !MOVED.has(given)) assert.equal(meaning.kind, 'unknown')
  }

  test('of Twilio', () => {
    fc.assert(
      fc.property(status, anyCode, (given, code) => check(given, () => toTwilioError(given, code))),
      { numRuns: 1000 },
    )
    fc.assert(fc.property(anyCode, (code) => assert.deepEqual(toTwilioReason(code), toTwilioReason(code))))
  })

  test('of MessageBird', () => {
    fc.assert(
      fc.property(status, anyCode, parameter, (given, code, part) => {
        const error = code === undefined ? undefined : omitUndefined({ code, parameter: part })
        check(given, () => toMessageBirdError(given, error))
      }),
      { numRuns: 1000 },
    )
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), anyCode, (reason, code) =>
        assert.deepEqual(toMessageBirdReason(reason, code), toMessageBirdReason(reason, code)),
      ),
    )
  })
})

for (const [given, code, meaning] of [
  [401, 20003, 'rejected of the provider AUTHENTICATION_FAILED'],
  [404, 20404, 'rejected of the provider ACCOUNT_NOT_FOUND'],
  [429, 20429, 'deferred RATE_LIMITED'],
  [429, undefined, 'deferred RATE_LIMITED'],
  [400, 21211, 'rejected of the message INVALID_NUMBER'],
  [400, 21606, 'rejected of the provider INVALID_SENDER_ID'],
  [400, 21610, 'rejected of the message OPTED_OUT'],
  [400, 21611, 'rejected of the provider QUEUE_FULL'],
  [400, 30003, 'deferred of the recipient UNREACHABLE'],
  [400, 30007, 'rejected of the message MESSAGE_REJECTED'],
  [400, 29999, 'rejected of the message TWILIO_29999'],
  [403, 29999, 'rejected of the provider TWILIO_29999'],
  [429, 29999, 'deferred RATE_LIMITED'],
  [503, 20429, 'deferred RATE_LIMITED'],
  [503, 20503, 'deferred SERVICE_UNAVAILABLE'],
  [500, 20500, 'deferred INTERNAL_ERROR'],
  [500, 21211, 'deferred HTTP_500'],
  [500, undefined, 'deferred HTTP_500'],
  [504, 20503, 'unknown HTTP_504'],
  [302, undefined, 'unknown HTTP_302'],
] as const) {
  test(`Twilio's ${given} with code ${code} is ${meaning}`, () => {
    assert.equal(summary(toTwilioError(given, code)), meaning)
  })
}

for (const [given, code, part, meaning] of [
  [401, 2, 'access_key', 'rejected of the provider AUTHENTICATION_FAILED'],
  [422, 9, 'recipients', 'rejected of the message INVALID_NUMBER'],
  [422, 9, undefined, 'rejected of the message INVALID_NUMBER'],
  [422, 10, 'originator', 'rejected of the provider INVALID_SENDER_ID'],
  [422, 10, 'body', 'rejected of the message MESSAGE_REJECTED'],
  [402, 25, undefined, 'rejected of the provider INSUFFICIENT_FUNDS'],
  [404, 98, undefined, 'rejected of the provider ENDPOINT_NOT_FOUND'],
  [422, 99, undefined, 'deferred INTERNAL_ERROR'],
  [500, 99, undefined, 'deferred INTERNAL_ERROR'],
  [422, 1234, undefined, 'rejected of the message MESSAGEBIRD_1234'],
  [500, 25, undefined, 'deferred HTTP_500'],
] as const) {
  test(`MessageBird's ${given} with code ${code} of ${part} is ${meaning}`, () => {
    const error = omitUndefined({ code, parameter: part })
    assert.equal(summary(toMessageBirdError(given, error)), meaning)
  })
}

test('classifies an HTTP status alone', () => {
  const statuses = [301, 302, 400, 401, 403, 404, 408, 422, 425, 429, 500, 502, 503, 504, 521, 524]
  const all = statuses.map((one) => summary(byHttpStatus(one)))
  assert.deepEqual(all, [
    'rejected of the provider ENDPOINT_MOVED',
    'unknown HTTP_302',
    'rejected of the message HTTP_400',
    'rejected of the provider HTTP_401',
    'rejected of the provider HTTP_403',
    'rejected of the provider HTTP_404',
    'deferred HTTP_408',
    'rejected of the message HTTP_422',
    'deferred HTTP_425',
    'deferred RATE_LIMITED',
    'deferred HTTP_500',
    'deferred HTTP_502',
    'deferred HTTP_503',
    'unknown HTTP_504',
    'deferred HTTP_521',
    'unknown HTTP_524',
  ])
})

test('finds the reason of a failure by its text, then by its code', () => {
  assert.equal(toMessageBirdReason('Unknown subscriber', undefined).code, 'INVALID_NUMBER')
  assert.equal(toMessageBirdReason('opted out', 34).code, 'OPTED_OUT')
  assert.equal(toMessageBirdReason('something new', 34).code, 'CARRIER_ERROR')
  assert.equal(toMessageBirdReason(undefined, 27).code, 'UNREACHABLE')
  assert.equal(toMessageBirdReason(undefined, undefined).code, 'DELIVERY_FAILED')
  assert.equal(toTwilioReason(30036).code, 'EXPIRED')
  assert.equal(toTwilioReason(39999).code, 'TWILIO_39999')
  assert.equal(toTwilioReason(undefined).code, 'DELIVERY_FAILED')
})
