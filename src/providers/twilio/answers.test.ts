/** Every code of Twilio's table and every class of answer, through the provider and a real socket. */
import { jsonResponse } from '../../../test/support/fake-http.ts'
import { openFakeTwilio, refusal, TWILIO as SETTINGS } from '../../../test/support/fake-twilio.ts'
import type { AnswerCase } from '../../../test/support/http-answers.ts'
import { testAnswers } from '../../../test/support/provider-answers.ts'
import { TWILIO_ERRORS } from './errors.ts'
import { TWILIO } from './twilio.ts'

/** Twilio sends its codes with a 4xx, except for its own failures. */
const CODES: readonly (readonly [status: number, code: number, outcome: string])[] = [
  [401, 20003, 'rejected provider AUTHENTICATION_FAILED'],
  [404, 20404, 'rejected provider ACCOUNT_NOT_FOUND'],
  [429, 20429, 'deferred RATE_LIMITED'],
  [500, 20500, 'deferred INTERNAL_ERROR'],
  [503, 20503, 'deferred SERVICE_UNAVAILABLE'],
  [400, 21211, 'rejected message INVALID_NUMBER'],
  [400, 21614, 'rejected message INVALID_NUMBER'],
  [400, 21635, 'rejected message INVALID_NUMBER'],
  [400, 21212, 'rejected provider INVALID_SENDER_ID'],
  [400, 21606, 'rejected provider INVALID_SENDER_ID'],
  [400, 21659, 'rejected provider INVALID_SENDER_ID'],
  [400, 21660, 'rejected provider INVALID_SENDER_ID'],
  [400, 21661, 'rejected provider INVALID_SENDER_ID'],
  [400, 21408, 'rejected provider REGION_NOT_ENABLED'],
  [400, 21602, 'rejected message MESSAGE_REJECTED'],
  [400, 21617, 'rejected message MESSAGE_REJECTED'],
  [400, 21608, 'rejected provider TRIAL_ACCOUNT'],
  [400, 21610, 'rejected message OPTED_OUT'],
  [400, 21611, 'rejected provider QUEUE_FULL'],
  [400, 21612, 'rejected provider NOT_ROUTABLE'],
  [400, 30001, 'deferred QUEUE_FULL'],
  [400, 30002, 'rejected provider ACCOUNT_SUSPENDED'],
  [400, 30003, 'deferred recipient UNREACHABLE'],
  [400, 30004, 'rejected message NUMBER_BLOCKED'],
  [400, 30005, 'rejected message INVALID_NUMBER'],
  [400, 30006, 'rejected message INVALID_NUMBER'],
  [400, 30007, 'rejected message MESSAGE_REJECTED'],
  [400, 30008, 'rejected provider CARRIER_ERROR'],
  [400, 30022, 'deferred RATE_LIMITED'],
  [400, 30023, 'rejected provider QUOTA_EXCEEDED'],
  [400, 30032, 'rejected provider INVALID_SENDER_ID'],
  [400, 30034, 'rejected provider INVALID_SENDER_ID'],
  [400, 30036, 'rejected message EXPIRED'],
  [400, 30450, 'rejected message FRAUD_BLOCKED'],
  [400, 30610, 'deferred recipient QUIET_HOURS'],
  [400, 30640, 'rejected message NUMBER_BLOCKED'],
  [400, 60410, 'rejected message FRAUD_BLOCKED'],
]

const UNUSUAL: readonly AnswerCase[] = [
  ['a code that is not listed', refusal(400, 29999), 'rejected message TWILIO_29999'],
  ['a code that is not listed with a 403', refusal(403, 29999), 'rejected provider TWILIO_29999'],
  ['a code that is not listed with a server error', refusal(503, 29999), 'deferred HTTP_503'],
  ['a rejection with a server error', refusal(500, 21211), 'deferred HTTP_500'],
  ['throttling with a server error', refusal(503, 20429), 'deferred RATE_LIMITED'],
  ['a code with a gateway timeout', refusal(504, 20503), 'unknown HTTP_504'],
  [
    'Retry-After with a server error',
    { ...refusal(503, 20503), headers: { 'retry-after': '7' } },
    'deferred SERVICE_UNAVAILABLE in 7000 ms',
  ],
  ['a message without an id', jsonResponse(201, { status: 'queued' }), 'unknown HTTP_201'],
  ['an id that is not that of a message', jsonResponse(201, { sid: 'AC1' }), 'unknown HTTP_201'],
  ['a truncated message', { status: 201, body: '{"sid": "SM' }, 'unknown HTTP_201'],
  ['a page instead of a message', { status: 201, body: '<html>' }, 'unknown HTTP_201'],
]

const SID = `SM${'1'.repeat(32)}`

testAnswers('Twilio', {
  openFake: openFakeTwilio,
  open: (base_url, context) => TWILIO.open({ ...SETTINGS, from: '+15005550006', base_url }, context),
  table: TWILIO_ERRORS,
  codes: CODES.map(([status, code, outcome]) => [code, refusal(status, code), outcome]),
  unusual: UNUSUAL,
  accepted: JSON.stringify({ sid: SID }),
  failed: (
    [
      ['failed', 30007, 'dropped', 'MESSAGE_REJECTED'],
      ['undelivered', 30005, 'bounced', 'INVALID_NUMBER'],
      ['canceled', null, 'dropped', 'DELIVERY_FAILED'],
    ] as const
  ).map(([status, error_code, state, code]) => [
    status,
    jsonResponse(201, { sid: SID, status, error_code }),
    [SID, state, code],
  ]),
})
