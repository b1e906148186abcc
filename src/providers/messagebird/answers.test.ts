/** Every code of MessageBird's table and every class of answer, through the provider and a real socket. */
import { jsonResponse } from '../../../test/support/fake-http.ts'
import { openFakeMessageBird, refusal, MESSAGEBIRD as SETTINGS } from '../../../test/support/fake-messagebird.ts'
import type { AnswerCase } from '../../../test/support/http-answers.ts'
import { type AnswerTests, testAnswers } from '../../../test/support/provider-answers.ts'
import { MESSAGEBIRD_ERRORS } from './errors.ts'
import { MESSAGEBIRD } from './messagebird.ts'

const CODES: AnswerTests['codes'] = [
  [2, refusal(401, 2, 'access_key'), 'rejected provider AUTHENTICATION_FAILED'],
  [9, refusal(422, 9), 'rejected message INVALID_NUMBER'],
  [9, refusal(422, 9, 'recipients'), 'rejected message INVALID_NUMBER'],
  [9, refusal(422, 9, 'originator'), 'rejected provider INVALID_SENDER_ID'],
  [10, refusal(422, 10, 'body'), 'rejected message MESSAGE_REJECTED'],
  [10, refusal(422, 10, 'recipient'), 'rejected message INVALID_NUMBER'],
  [10, refusal(422, 10, 'originator'), 'rejected provider INVALID_SENDER_ID'],
  [20, refusal(404, 20), 'rejected message MESSAGE_REJECTED'],
  [21, refusal(400, 21), 'rejected message MESSAGE_REJECTED'],
  [25, refusal(402, 25), 'rejected provider INSUFFICIENT_FUNDS'],
  [98, refusal(404, 98), 'rejected provider ENDPOINT_NOT_FOUND'],
  [99, refusal(500, 99), 'deferred INTERNAL_ERROR'],
  [99, refusal(422, 99), 'deferred INTERNAL_ERROR'],
]

const UNUSUAL: readonly AnswerCase[] = [
  ['a code that is not listed', refusal(422, 1234), 'rejected message MESSAGEBIRD_1234'],
  ['a code that is not listed with a 403', refusal(403, 1234), 'rejected provider MESSAGEBIRD_1234'],
  ['a code that is not listed with a server error', refusal(503, 1234), 'deferred HTTP_503'],
  ['a rejection with a server error', refusal(500, 25), 'deferred HTTP_500'],
  ['a code with a gateway timeout', refusal(504, 99), 'unknown HTTP_504'],
  [
    'Retry-After with a server error',
    { ...refusal(503, 99), headers: { 'retry-after': '7' } },
    'deferred INTERNAL_ERROR in 7000 ms',
  ],
  ['an empty list of errors', jsonResponse(422, { errors: [] }), 'rejected message HTTP_422'],
  ['a message without an id', jsonResponse(201, { href: 'x' }), 'unknown HTTP_201'],
  ['a truncated message', { status: 201, body: '{"id": "e8' }, 'unknown HTTP_201'],
  ['a page instead of a message', { status: 200, body: '<html>' }, 'unknown HTTP_200'],
]

const ID = 'e8077d803532c0b5937c639b60216938'

testAnswers('MessageBird', {
  openFake: openFakeMessageBird,
  open: (base_url, context) => MESSAGEBIRD.open({ ...SETTINGS, originator: 'Pombo', base_url }, context),
  table: MESSAGEBIRD_ERRORS,
  codes: CODES,
  unusual: UNUSUAL,
  accepted: JSON.stringify({ id: ID }),
  failed: (
    [
      ['delivery_failed', 'unknown subscriber', 'bounced', 'INVALID_NUMBER'],
      ['delivery_failed', 'insufficient balance', 'bounced', 'INSUFFICIENT_FUNDS'],
      ['expired', null, 'dropped', 'EXPIRED'],
    ] as const
  ).map(([status, statusReason, state, code]) => [
    `${status} (${statusReason})`,
    jsonResponse(201, { id: ID, recipients: { items: [{ status, statusReason }] } }),
    [ID, state, code],
  ]),
})
