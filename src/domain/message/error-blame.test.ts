import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLAMES, blameOf } from './error-blame.ts'
import { ERROR_TEXTS } from './error-texts.ts'

test('every code that Pombo gives a message is blamed on one thing, an unlisted one on the provider', () => {
  const blamed = Object.keys(ERROR_TEXTS).map(blameOf)
  assert.deepEqual(new Set(blamed), new Set(BLAMES))
  for (const [code, expected] of [
    ['CONTENT_REJECTED', 'message'],
    ['NUMBER_BLOCKED', 'recipient'],
    ['AUTHENTICATION_FAILED', 'account'],
    ['SES_DAILY_QUOTA_EXCEEDED', 'account'],
    ['SERVICE_UNAVAILABLE', 'provider'],
    ['NO_ROUTE_FOUND', 'pombo'],
    ['TWILIO_30999', 'provider'],
  ] as const) {
    assert.equal(blameOf(code), expected, code)
  }
})
