/** Every error of the SES table and every class of answer, through the provider and a real socket. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openFakeSes, refusal, SES as SETTINGS } from '../../../test/support/fake-ses.ts'
import {
  type AnswerCase,
  assertOutcome,
  describeOutcome,
  STATUS_CASES,
  UNKNOWN_OUTCOME_CASES,
} from '../../../test/support/http-answers.ts'
import { someContext } from '../context.fixture.ts'
import { privateWords, someMailAttempt } from '../mail.fixture.ts'
import { SES_ERRORS } from './errors.ts'
import { openSes } from './ses.ts'

const UNVERIFIED = 'rejected provider SES_IDENTITY_NOT_VERIFIED'
const NO_SET = 'rejected provider SES_CONFIGURATION_SET_DOES_NOT_EXIST'
const PAUSED = 'deferred account SES_ACCOUNT_SENDING_PAUSED in 600000 ms'
const QUOTA = 'deferred account SES_DAILY_QUOTA_EXCEEDED in 600000 ms'
const TOO_FAST = 'deferred SES_MAX_SEND_RATE_EXCEEDED'
const INVALID = 'rejected message SES_INVALID_PARAMETER'
const UNAUTHENTICATED = 'rejected provider AUTHENTICATION_FAILED'
const NOT_ALLOWED = 'rejected provider NOT_ALLOWED'
const UNAVAILABLE = 'deferred SES_SERVICE_UNAVAILABLE'
const OPEN = 'unknown SES_TIMEOUT'

type Named = readonly [status: number, names: readonly string[], words: string]

/** By name without the suffix, as in the table. */
const NAMES: readonly Named[] = [
  [400, ['MessageRejected'], 'rejected message SES_MESSAGE_REJECTED'],
  [400, ['MailFromDomainNotVerified'], 'rejected provider SES_MAIL_FROM_DOMAIN_NOT_VERIFIED'],
  [400, ['FromEmailAddressNotVerified'], UNVERIFIED],
  [404, ['NotFound'], NO_SET],
  [400, ['ConfigurationSetDoesNotExist'], NO_SET],
  [400, ['TemplateDoesNotExist'], 'rejected provider SES_TEMPLATE_DOES_NOT_EXIST'],
  [400, ['AccountSuspended'], 'deferred account SES_ACCOUNT_SUSPENDED in 600000 ms'],
  [400, ['SendingPaused', 'AccountSendingPaused'], PAUSED],
  [400, ['ConfigurationSetSendingPaused'], 'deferred account SES_CONFIGURATION_SET_SENDING_PAUSED in 600000 ms'],
  [400, ['LimitExceeded', 'DailyQuotaExceeded'], QUOTA],
  [400, ['MaxSendRateExceeded', 'MaxSendingRateExceeded'], TOO_FAST],
  [
    400,
    ['TooManyRequests', 'Throttling', 'Throttled', 'RequestThrottled', 'RequestLimitExceeded'],
    'deferred SES_THROTTLING',
  ],
  [400, ['BadRequest', 'InvalidParameterValue', 'InvalidParameterCombination', 'MissingParameter'], INVALID],
  [400, ['Validation', 'Serialization', 'MalformedInput'], INVALID],
  [403, ['InvalidClientTokenId', 'UnrecognizedClient', 'MissingAuthenticationToken', 'ExpiredToken'], UNAUTHENTICATED],
  [403, ['SignatureDoesNotMatch', 'InvalidSignature', 'IncompleteSignature', 'AuthFailure'], UNAUTHENTICATED],
  [403, ['AccessDenied', 'NotAuthorized', 'OptInRequired'], NOT_ALLOWED],
  [403, ['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'], 'deferred SES_CLOCK_SKEWED'],
  [500, ['InternalFailure', 'InternalServer', 'InternalService'], UNAVAILABLE],
  [503, ['ServiceUnavailable'], UNAVAILABLE],
  [408, ['RequestTimeout'], 'deferred SES_TIMEOUT'],
  [504, ['GatewayTimeout'], OPEN],
  [500, ['Timeout'], OPEN],
  [400, ['RequestAborted'], OPEN],
  [400, ['Networking'], 'unknown NETWORK_ERROR'],
]

const UNUSUAL: readonly AnswerCase[] = [
  ['a name that is not listed', refusal(400, 'SomethingNew'), 'rejected message SES_SOMETHING_NEW'],
  ['a name that is not listed with a server error', refusal(503, 'SomethingNew'), UNAVAILABLE],
  ['a rejection with a server error', refusal(500, 'MessageRejected'), UNAVAILABLE],
  ['throttling with a server error', refusal(503, 'ThrottlingException'), 'deferred SES_THROTTLING'],
  ['a name with a gateway timeout', refusal(504, 'ServiceUnavailable'), OPEN],
  [
    'Retry-After with a server error',
    {
      ...refusal(503, 'ServiceUnavailable'),
      headers: { 'x-amzn-errortype': 'ServiceUnavailable', 'retry-after': '7' },
    },
    `${UNAVAILABLE} in 7000 ms`,
  ],
  ['an exceeded quota', refusal(400, 'Throttling', 'Daily message quota exceeded.'), QUOTA],
  ['an exceeded rate', refusal(400, 'Throttling', 'Maximum sending rate exceeded.'), TOO_FAST],
  ['an unverified sender', refusal(400, 'MessageRejected', 'Email address is not verified. a@b.example'), UNVERIFIED],
  ['a paused account', refusal(400, 'MessageRejected', 'Sending paused for this account.'), PAUSED],
  ['a mail without an id', { status: 200, body: '{}' }, 'unknown SES_NO_MESSAGE_ID'],
  ['a truncated mail', { status: 200, body: '{"MessageId": "01' }, 'unknown HTTP_200'],
]

/** SES has its own codes for generic errors, and an empty 2xx is a mail without an id. */
function toSesRow([what, conduct, words]: AnswerCase): AnswerCase {
  const ours = words
    .replace(/^deferred HTTP_5\d\d/, UNAVAILABLE)
    .replace(/^unknown HTTP_5\d\d/, OPEN)
    .replace('RATE_LIMITED', 'SES_THROTTLING')
    .replace('TIMEOUT', 'SES_TIMEOUT')
    .replace('SES_SES_', 'SES_')
    .replace(/CONNECTION_LOST|INVALID_RESPONSE|RESPONSE_TOO_LARGE/, 'NETWORK_ERROR')
  return [what, conduct, /^2\d\d without|^204/.test(what) ? 'unknown SES_NO_MESSAGE_ID' : ours]
}

describe('answers of SES', { timeout: 60_000 }, async () => {
  const fake = await openFakeSes()
  after(() => fake[Symbol.asyncDispose]())
  const attempt = someMailAttempt()
  // A new provider each time: a throttled one would delay the next mail.
  const send = async (signal: AbortSignal) => {
    await using provider = openSes({ ...SETTINGS, endpoint: fake.url }, someContext())
    return await provider.send(attempt, signal)
  }
  const play = (row: AnswerCase): Promise<void> =>
    assertOutcome({ fake, send, secrets: privateWords(attempt.content) }, row)

  for (const [status, names, words] of NAMES) {
    for (const name of names) {
      for (const full of [name, `${name}Exception`]) {
        test(`${status} ${full}: ${words}`, () => play([full, refusal(status, full), words]))
      }
    }
  }
  test('the names above are those of the table', () => {
    assert.deepEqual(new Set(NAMES.flatMap(([, names]) => names)), new Set(SES_ERRORS.keys()))
  })
  for (const row of [...UNUSUAL, ...[...STATUS_CASES, ...UNKNOWN_OUTCOME_CASES].map(toSesRow)]) {
    test(`${row[0]}: ${row[2]}`, () => play(row))
  }

  test('any content type accepts the mail', async () => {
    fake.behave({ status: 200, body: '{"MessageId":"0100"}', headers: { 'content-type': 'text/html' } })
    assert.equal(describeOutcome(await send(AbortSignal.timeout(10_000))), 'accepted')
  })

  test('defers the mail if the connection is refused', async () => {
    await fake.stop()
    assert.equal(describeOutcome(await send(AbortSignal.timeout(10_000))), 'deferred NETWORK_ERROR')
  })
})
