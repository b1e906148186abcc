import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../../test/support/fake-ses.ts'
import { abortAfterRequest, openWorld } from '../../../test/support/ses-world.ts'
import { seconds } from '../../lib/time.ts'
import { privateWords, someMailAttempt } from '../mail.fixture.ts'

const NEVER_ABORTED = new AbortController().signal

for (const [status, name, text, kind, blame, code, wait] of [
  [429, 'TooManyRequestsException', '', 'deferred', undefined, 'SES_THROTTLING', 0],
  [
    400,
    'LimitExceededException',
    'Daily message quota exceeded.',
    'deferred',
    'account',
    'SES_DAILY_QUOTA_EXCEEDED',
    600,
  ],
  [400, 'SendingPausedException', '', 'deferred', 'account', 'SES_ACCOUNT_SENDING_PAUSED', 600],
  [400, 'AccountSuspendedException', '', 'deferred', 'account', 'SES_ACCOUNT_SUSPENDED', 600],
  [400, 'MessageRejected', undefined, 'rejected', 'message', 'SES_MESSAGE_REJECTED', undefined],
  [
    400,
    'MessageRejected',
    'Email address is not verified. The following: maria.silva@example.org',
    'rejected',
    'provider',
    'SES_IDENTITY_NOT_VERIFIED',
    undefined,
  ],
  [
    400,
    'MailFromDomainNotVerifiedException',
    undefined,
    'rejected',
    'provider',
    'SES_MAIL_FROM_DOMAIN_NOT_VERIFIED',
    undefined,
  ],
  [404, 'NotFoundException', undefined, 'rejected', 'provider', 'SES_CONFIGURATION_SET_DOES_NOT_EXIST', undefined],
  [400, 'BadRequestException', undefined, 'rejected', 'message', 'SES_INVALID_PARAMETER', undefined],
  [503, 'ServiceUnavailable', undefined, 'deferred', undefined, 'SES_SERVICE_UNAVAILABLE', 0],
  [400, 'SomethingNew', undefined, 'rejected', 'message', 'SES_SOMETHING_NEW', undefined],
] as const) {
  test(`SES's ${name} is ${kind} ${code}, without private data`, async () => {
    await using world = await openWorld()
    world.fake.behave(refusal(status, name, text))
    const attempt = someMailAttempt()
    const outcome = await world.provider.send(attempt, NEVER_ABORTED)
    assert.ok(outcome.kind === kind && outcome.code === code, JSON.stringify(outcome))
    assert.equal('originalCode' in outcome && outcome.originalCode, name)
    assert.equal('blame' in outcome ? outcome.blame : undefined, blame)
    assert.equal('retryAfter' in outcome ? outcome.retryAfter : undefined, wait && seconds(wait))
    for (const word of privateWords(attempt.content)) assert.ok(!JSON.stringify(outcome).includes(word))
    assert.equal(world.fake.requests.length, 1, 'a call is made once')
  })
}

test('reads the error name from the body too', async () => {
  await using world = await openWorld()
  world.fake.behave({ status: 400, body: JSON.stringify({ __type: 'com.amazonaws.sesv2#SendingPausedException' }) })
  const outcome = await world.provider.send(someMailAttempt(), NEVER_ABORTED)
  assert.ok(outcome.kind === 'deferred' && outcome.code === 'SES_ACCOUNT_SENDING_PAUSED')
  assert.equal(outcome.originalCode, 'SendingPausedException')
})

test('what is no error name is not kept as one', async () => {
  await using world = await openWorld()
  world.fake.behave({ status: 400, body: JSON.stringify({ __type: 'maria.silva@example.org' }) })
  const outcome = await world.provider.send(someMailAttempt(), NEVER_ABORTED)
  assert.ok(outcome.kind === 'rejected' && outcome.originalCode === undefined, JSON.stringify(outcome))
})

for (const [what, conduct, code] of [
  ['hangs up', 'hang up', 'NETWORK_ERROR'],
  ['does not speak HTTP', 'babble', 'NETWORK_ERROR'],
  ['answers without an id', { status: 200, body: '{}' }, 'SES_NO_MESSAGE_ID'],
  ['answers with a page', { status: 200, body: '<html>' }, 'HTTP_200'],
] as const) {
  test(`leaves the outcome unknown if SES ${what}: ${code}`, async () => {
    await using world = await openWorld()
    world.fake.behave(conduct)
    const outcome = await world.provider.send(someMailAttempt(), NEVER_ABORTED)
    assert.ok(outcome.kind === 'unknown' && outcome.code === code, JSON.stringify(outcome))
  })
}

test('a timeout is unknown after the request was sent, and deferred before', async () => {
  await using world = await openWorld()
  world.fake.behave('hang')
  const overdue = await world.provider.send(someMailAttempt(), abortAfterRequest(world, AbortSignal.timeout(50)))
  assert.ok(overdue.kind === 'unknown' && overdue.code === 'SES_TIMEOUT', JSON.stringify(overdue))
  const { length } = world.fake.requests
  const early = await world.provider.send(
    someMailAttempt(),
    AbortSignal.abort(new DOMException('late', 'TimeoutError')),
  )
  assert.equal(early.kind, 'deferred')
  await world.fake.stop()
  const unsent = await world.provider.send(someMailAttempt(), NEVER_ABORTED)
  assert.ok(unsent.kind === 'deferred' && unsent.code === 'NETWORK_ERROR', JSON.stringify(unsent))
  assert.equal(world.fake.requests.length, length)
})
