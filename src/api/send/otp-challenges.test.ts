import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { endOtps } from '../../flows/otp/end-otp.ts'
import { seconds } from '../../lib/time.ts'
import { CODE, openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const TO = '+5511987654321'
const WRONG = '000000'
const UNKNOWN = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'

const ATTEMPTED = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' } as const
const FAILED = { kind: 'HandoffFailed', code: 'INVALID_NUMBER', detail: 'no such number' } as const

async function open(overrides: NonNullable<Parameters<typeof openFixture>[1]> = {}) {
  const api = await openFixture(world, overrides)
  const call = await api.caller({ scope: 'otp' })
  const start = async (wanted: object = {}): Promise<string> =>
    (await call('POST', '/v1/otp/generate', { to: TO, idempotency_key: 'k', ...wanted })).json().challenge_id
  return {
    api,
    call,
    start,
    show: (id: string) => call('GET', `/v1/otp/${id}`),
    resend: (id: string) => call('POST', `/v1/otp/${id}/resend`),
    sentOnce: (id: string) => api.happen(id as never, ATTEMPTED, FAILED),
    cancel: (id: string) => call('POST', `/v1/otp/${id}/cancel`),
    validate: (id: string, code: string) => call('POST', '/v1/otp/validate', { challenge_id: id, code }),
    end: () => endOtps(api.deps),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

test('a challenge is shown with its recipient masked, and never its code', async () => {
  await using otp = await open()
  const id = await otp.start({ ttl_seconds: 60, max_attempts: 2 })
  await otp.validate(id, WRONG)
  const shown = await otp.show(id)
  assert.deepEqual(
    [shown.statusCode, shown.json()],
    [
      200,
      {
        challenge_id: id,
        message_id: id,
        status: 'pending',
        attempts_remaining: 1,
        channel: 'sms',
        to: '+*******4321',
        message_status: 'queued',
        created_at: '2030-01-31T12:00:00.000Z',
        expires_at: '2030-01-31T12:01:00.000Z',
      },
    ],
  )
  assert.ok(!shown.body.includes(CODE) && !shown.body.includes(TO))
})

test('a challenge is verified, exhausted or expired, and then has no attempts', async () => {
  await using otp = await open()
  const [verified, exhausted, expired] = [
    await otp.start({ idempotency_key: 'a' }),
    await otp.start({ idempotency_key: 'b', max_attempts: 1 }),
    await otp.start({ idempotency_key: 'c', ttl_seconds: 30, channel: 'email', to: 'ann@acme.example' }),
  ]
  await otp.validate(verified, CODE)
  await otp.validate(exhausted, WRONG)
  otp.api.pass(seconds(30))
  // Its message is erased by then.
  await otp.end()
  const shown = [await otp.show(verified), await otp.show(exhausted), await otp.show(expired)].map((it) => it.json())
  assert.deepEqual(
    shown.map(({ status, attempts_remaining: left, channel, to }) => [status, left, channel, to]),
    [
      ['verified', 0, 'sms', '+*******4321'],
      ['exhausted', 0, 'sms', '+*******4321'],
      ['expired', 0, 'email', 'a***@acme.example'],
    ],
  )
})

test('a canceled challenge verifies no code, and its message is erased', async () => {
  await using otp = await open()
  const id = await otp.start()
  const canceled = await otp.cancel(id)
  assert.deepEqual(
    [canceled.statusCode, canceled.json().status, canceled.json().attempts_remaining],
    [200, 'canceled', 0],
  )
  const { valid, status, attempts_remaining: left } = (await otp.validate(id, CODE)).json()
  assert.deepEqual([valid, status, left], [false, 'canceled', 0])
  await otp.end()
  assert.equal((await otp.api.deps.log.load(id as never))?.content, undefined)
  assert.deepEqual([(await otp.cancel(id)).statusCode, (await otp.show(id)).json().status], [200, 'canceled'])
})

test('sends the same code again, which counts like a new one and gives no more attempts', async () => {
  await using otp = await open({ otp: { limit: 2, window: seconds(600) } })
  const id = await otp.start({ max_attempts: 2 })
  assert.deepEqual([(await otp.resend(id)).statusCode, (await otp.resend(id)).json().error_code], [409, 'CONFLICT'])
  await otp.validate(id, WRONG)
  await otp.sentOnce(id)
  const again = await otp.resend(id)
  assert.deepEqual([again.statusCode, again.headers['ratelimit']], [202, '"otp";r=0;t=600'])
  assert.deepEqual([again.json().message_status, again.json().attempts_remaining], ['queued', 1])
  await otp.sentOnce(id)
  const limited = await otp.resend(id)
  assert.deepEqual([limited.statusCode, limited.json().error_code], [429, 'RATE_LIMITED'])
  assert.equal((await otp.validate(id, CODE)).json().status, 'verified')
})

test('a code is not sent again after its challenge has ended, or to somebody who is locked out', async () => {
  const wrongCodes = { limit: 1, window: seconds(3600) }
  await using otp = await open({ otp: { limit: 9, window: seconds(600), wrongCodes } })
  const [verified, guessed] = [await otp.start({ idempotency_key: 'a' }), await otp.start({ idempotency_key: 'b' })]
  for (const id of [verified, guessed]) await otp.sentOnce(id)
  await otp.validate(verified, CODE)
  assert.match((await otp.resend(verified)).json().detail, /The challenge has ended: its status is verified/)
  await otp.validate(guessed, WRONG)
  const refused = await otp.resend(guessed)
  assert.deepEqual([refused.statusCode, refused.json().error_code], [429, 'TOO_MANY_ATTEMPTS'])
})

test('a challenge that has ended cannot be canceled', async () => {
  await using otp = await open()
  const id = await otp.start()
  await otp.validate(id, CODE)
  const refused = await otp.cancel(id)
  assert.deepEqual([refused.statusCode, refused.json().error_code], [409, 'CONFLICT'])
  assert.match(refused.json().detail, /its status is verified/)
  assert.equal((await otp.show(id)).json().status, 'verified')
})

test('of a cancel and the right code at the same time, exactly one wins', async () => {
  await using otp = await open()
  for (const key of ['a', 'b', 'c']) {
    const id = await otp.start({ idempotency_key: key })
    const [checked, canceled] = await Promise.all([otp.validate(id, CODE), otp.cancel(id)])
    const isVerified = checked.json().status === 'verified'
    assert.equal(canceled.statusCode, isVerified ? 409 : 200)
    assert.equal((await otp.show(id)).json().status, isVerified ? 'verified' : 'canceled')
  }
})

test('what is no challenge of the tenant is not found', async () => {
  await using otp = await open()
  const id = await otp.start()
  const stranger = await otp.api.caller({ tenant_id: 'umbrella', scope: 'otp' })
  const sms = await (await otp.api.caller())('POST', '/v1/sms/send', { to: TO, message: 'hi', idempotency_key: 's' })
  for (const answer of [
    await stranger('GET', `/v1/otp/${id}`),
    await stranger('POST', `/v1/otp/${id}/cancel`),
    await otp.show(sms.json().request_id),
    await stranger('POST', `/v1/otp/${id}/resend`),
    await otp.cancel(UNKNOWN),
    await otp.resend(UNKNOWN),
    await otp.show('x'),
  ]) {
    assert.deepEqual([answer.statusCode, answer.json().error_code], [404, 'NOT_FOUND'])
  }
  assert.equal((await otp.show(id)).json().status, 'pending')
})
