import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ERROR_CATEGORIES, toErrorCategory } from './error-category.ts'

test('codes are of the category that the table of SES errors gives them', () => {
  for (const [code, category] of [
    ['SES_MESSAGE_REJECTED', 'PERMANENT_ERROR'],
    ['SES_MAIL_FROM_DOMAIN_NOT_VERIFIED', 'CONFIGURATION_ERROR'],
    ['SES_CONFIGURATION_SET_DOES_NOT_EXIST', 'CONFIGURATION_ERROR'],
    ['SES_ACCOUNT_SENDING_PAUSED', 'PERMANENT_ERROR'],
    ['SES_THROTTLING', 'QUOTA_ERROR'],
    ['SES_MAX_SEND_RATE_EXCEEDED', 'QUOTA_ERROR'],
    ['SES_DAILY_QUOTA_EXCEEDED', 'QUOTA_ERROR'],
    ['SES_SERVICE_UNAVAILABLE', 'TRANSIENT_ERROR'],
    ['SES_TIMEOUT', 'TIMEOUT_ERROR'],
    ['NETWORK_ERROR', 'TRANSIENT_ERROR'],
    ['INVALID_TEMPLATE', 'VALIDATION_ERROR'],
  ] as const) {
    for (const willRetry of [true, false]) assert.equal(toErrorCategory(code, willRetry), category)
  }
})

test('every code there could be is of one category, and one that nobody listed of the category of what came of it', () => {
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (code, willRetry) => {
      assert.ok(ERROR_CATEGORIES.includes(toErrorCategory(code, willRetry)))
    }),
  )
  assert.equal(toErrorCategory('NEVER_HEARD_OF', true), 'TRANSIENT_ERROR')
  assert.equal(toErrorCategory('constructor', false), 'PERMANENT_ERROR')
})
