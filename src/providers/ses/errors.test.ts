import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { toErrorCategory } from '../../domain/message/error-category.ts'
import type { ProviderError } from '../provider-errors.ts'
import { isTooFast, toSesError } from './errors.ts'

const summary = (error: ProviderError): string => {
  const { kind, code } = error
  const blame = 'blame' in error ? [`of the ${error.blame}`] : []
  return [kind, ...blame, code, toErrorCategory(code, kind !== 'rejected')].join(' ')
}

const QUOTA = 'Daily message quota exceeded.'
const RATE = 'Maximum sending rate exceeded.'
const UNVERIFIED = 'Email address is not verified. The following identities failed the check: anna@acme.example'

const REJECTED = 'rejected of the message SES_MESSAGE_REJECTED PERMANENT_ERROR'
const CONFIGURATION_SET = 'rejected of the provider SES_CONFIGURATION_SET_DOES_NOT_EXIST CONFIGURATION_ERROR'
const MAIL_FROM = 'rejected of the provider SES_MAIL_FROM_DOMAIN_NOT_VERIFIED CONFIGURATION_ERROR'
const NOT_VERIFIED = 'rejected of the provider SES_IDENTITY_NOT_VERIFIED CONFIGURATION_ERROR'
const PAUSED = 'deferred of the account SES_ACCOUNT_SENDING_PAUSED PERMANENT_ERROR'
const SUSPENDED = 'deferred of the account SES_ACCOUNT_SUSPENDED PERMANENT_ERROR'
const SET_PAUSED = 'deferred of the account SES_CONFIGURATION_SET_SENDING_PAUSED PERMANENT_ERROR'
const DAILY = 'deferred of the account SES_DAILY_QUOTA_EXCEEDED QUOTA_ERROR'
const THROTTLED = 'deferred SES_THROTTLING QUOTA_ERROR'
const TOO_FAST = 'deferred SES_MAX_SEND_RATE_EXCEEDED QUOTA_ERROR'
const INVALID = 'rejected of the message SES_INVALID_PARAMETER PERMANENT_ERROR'
const NOT_LET_IN = 'rejected of the provider AUTHENTICATION_FAILED CONFIGURATION_ERROR'
const NOT_ALLOWED = 'rejected of the provider NOT_ALLOWED CONFIGURATION_ERROR'
const SKEWED = 'deferred SES_CLOCK_SKEWED TRANSIENT_ERROR'
const BROKEN = 'deferred SES_SERVICE_UNAVAILABLE TRANSIENT_ERROR'
const UNREAD = 'deferred SES_TIMEOUT TIMEOUT_ERROR'
const OVERDUE = 'unknown SES_TIMEOUT TIMEOUT_ERROR'

for (const [status, name, text, meaning] of [
  // API v2.
  [429, 'TooManyRequestsException', '', THROTTLED],
  [400, 'TooManyRequestsException', RATE, TOO_FAST],
  [400, 'ThrottlingException', '', THROTTLED],
  [400, 'LimitExceededException', QUOTA, DAILY],
  [400, 'LimitExceededException', '', DAILY],
  [400, 'LimitExceededException', RATE, TOO_FAST],
  [400, 'MessageRejected', 'Virus found', REJECTED],
  [400, 'MessageRejected', UNVERIFIED, NOT_VERIFIED],
  [400, 'MessageRejected', 'Sending paused for this account. For more information ask us.', PAUSED],
  [400, 'MailFromDomainNotVerifiedException', '', MAIL_FROM],
  [404, 'NotFoundException', '', CONFIGURATION_SET],
  [400, 'AccountSuspendedException', '', SUSPENDED],
  [400, 'SendingPausedException', '', PAUSED],
  [400, 'BadRequestException', '', INVALID],
  [500, 'InternalServiceErrorException', '', BROKEN],
  // API v1.
  [400, 'Throttling', '', THROTTLED],
  [400, 'Throttling', QUOTA, DAILY],
  [400, 'Throttling', RATE, TOO_FAST],
  [400, 'MaxSendRateExceeded', '', TOO_FAST],
  [400, 'DailyQuotaExceeded', '', DAILY],
  [400, 'MailFromDomainNotVerified', '', MAIL_FROM],
  [400, 'FromEmailAddressNotVerified', '', NOT_VERIFIED],
  [400, 'ConfigurationSetDoesNotExist', '', CONFIGURATION_SET],
  [400, 'TemplateDoesNotExist', '', 'rejected of the provider SES_TEMPLATE_DOES_NOT_EXIST CONFIGURATION_ERROR'],
  [400, 'AccountSendingPausedException', '', PAUSED],
  [400, 'ConfigurationSetSendingPausedException', '', SET_PAUSED],
  [400, 'InvalidParameterValue', '', INVALID],
  [503, 'ServiceUnavailable', '', BROKEN],
  [400, 'ServiceUnavailable', '', BROKEN],
  [400, 'RequestTimeout', '', UNREAD],
  [408, 'RequestTimeoutException', '', UNREAD],
  [400, 'RequestAbortedException', '', OVERDUE],
  [504, 'GatewayTimeout', '', OVERDUE],
  [504, '', '', OVERDUE],
  [400, 'NetworkingError', '', 'unknown NETWORK_ERROR TRANSIENT_ERROR'],
  // Common to AWS.
  [403, 'InvalidClientTokenId', '', NOT_LET_IN],
  [403, 'UnrecognizedClientException', '', NOT_LET_IN],
  [403, 'SignatureDoesNotMatch', '', NOT_LET_IN],
  [403, 'InvalidSignatureException', '', NOT_LET_IN],
  [403, 'ExpiredTokenException', '', NOT_LET_IN],
  [403, 'MissingAuthenticationTokenException', '', NOT_LET_IN],
  [403, 'AccessDeniedException', '', NOT_ALLOWED],
  [403, 'RequestTimeTooSkewed', '', SKEWED],
  [400, 'RequestExpired', '', SKEWED],
  // With a namespace and a URL.
  [429, 'com.amazonaws.sesv2#TooManyRequestsException:http://internal.amazon.com/coral/', '', THROTTLED],
  // Not listed.
  [400, 'SlowDown', '', 'rejected of the message SES_SLOW_DOWN PERMANENT_ERROR'],
  [409, 'ConflictException', '', 'rejected of the provider SES_CONFLICT PERMANENT_ERROR'],
  [429, 'Whatever', '', THROTTLED],
  [429, '', QUOTA, DAILY],
  [413, 'anna@acme.example', '', 'rejected of the message HTTP_413 PERMANENT_ERROR'],
  [403, '', '', 'rejected of the provider HTTP_403 PERMANENT_ERROR'],
  [502, '', '', BROKEN],
  [500, 'TooManyRequestsException', '', THROTTLED],
  [500, 'MessageRejected', '', BROKEN],
  [500, 'SomethingNew', '', BROKEN],
  [302, 'MessageRejected', '', 'unknown HTTP_302 TRANSIENT_ERROR'],
  [200, '', '', 'unknown HTTP_200 TRANSIENT_ERROR'],
] as const) {
  test(`SES's ${status} ${name} ${text.slice(0, 28)} is ${meaning}`, () => {
    assert.equal(summary(toSesError({ status, name, text })), meaning)
  })
}

describe('S1-P11 any answer of SES has one meaning, the same each time', () => {
  const known = [
    'MessageRejected',
    'ThrottlingException',
    'LimitExceededException',
    'NotFoundException',
    'RequestTimeout',
  ]
  const anyName = fc.oneof(fc.string(), fc.constantFrom(...known), fc.constantFrom('constructor', '__proto__'))
  const anyText = fc.oneof(fc.string(), fc.emailAddress(), fc.constantFrom(QUOTA, RATE, UNVERIFIED))
  const anyAnswer = fc.record(
    { status: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.integer()), name: anyName, text: anyText },
    { requiredKeys: ['status'] },
  )

  test('which never contains the text of SES', () => {
    fc.assert(
      fc.property(anyAnswer, (answer) => {
        const error = toSesError(answer)
        assert.deepEqual(toSesError(answer), error)
        assert.ok(/^[A-Z][A-Z0-9_-]*$/.test(error.code) && error.detail.length > 0, error.code)
        const json = JSON.stringify(error)
        const { text = '' } = answer
        if (text.includes('@')) assert.ok(!json.includes(text))
        // A server error never rejects the mail, and a status that is no error leaves the outcome unknown.
        const { status } = answer
        if (status >= 500 && status < 600) assert.notEqual(error.kind, 'rejected')
        if ([504, 520, 524].includes(status) || status >= 600) assert.equal(error.kind, 'unknown')
        if (status < 400 && ![301, 307, 308].includes(status)) assert.equal(error.kind, 'unknown')
        if (isTooFast(error)) assert.equal(error.kind, 'deferred')
      }),
      { numRuns: 2000 },
    )
  })

  test('with or without the suffix of its name', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), anyText, (name, text) => {
        const bare = name.replace('Exception', '')
        const [one, other] = [bare, `${bare}Exception`].map((each) => toSesError({ status: 400, name: each, text }))
        assert.deepEqual(one, other)
      }),
    )
  })
})
