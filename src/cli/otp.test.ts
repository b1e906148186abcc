import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestGateway, refuseWith, run } from './test-world.ts'

const ID = '01978d5e-0000-7000-8000-00000000abcd'
const NUMBER = '+15005550100'
const ADDRESS = 'ann@example.com'

describe('otp send', () => {
  const started = () => ({
    challenge_id: ID,
    request_id: ID,
    status: 'pending',
    expires_at: '2030-01-31T12:05:00.000Z',
  })

  test('requests a code with all options and prints the challenge', async () => {
    await using gateway = await openTestGateway(started)
    const terms = ['--ttl', '60', '--attempts', '1', '--length', '8', '--alphanumeric']
    const argv = [...terms, '--app', 'Acme', '--locale', 'pt-BR', '--key', 'k1']
    assert.deepEqual(await run(['otp', 'send', NUMBER, ...argv], gateway), { code: 0, out: `${ID}\n`, err: '' })
    const [request] = gateway.requests
    assert.deepEqual([request?.method, request?.path], ['POST', '/v1/otp/generate'])
    assert.deepEqual(request?.body, {
      to: NUMBER,
      ttl_seconds: 60,
      max_attempts: 1,
      code_length: 8,
      code_alphabet: 'alphanumeric',
      app_name: 'Acme',
      locale: 'pt-BR',
    })
    assert.equal(request?.headers['idempotency-key'], 'k1')
  })

  test('generates an idempotency key when none is given, and prints JSON with --json', async () => {
    await using gateway = await openTestGateway(started)
    const { out } = await run(['otp', 'send', NUMBER, '--json'], gateway)
    await run(['otp', 'send', NUMBER], gateway)
    assert.deepEqual(JSON.parse(out), started())
    assert.deepEqual(gateway.requests[0]?.body, { to: NUMBER, ttl_seconds: 300, max_attempts: 3 })
    assert.equal(new Set(gateway.requests.map(({ headers }) => headers['idempotency-key'])).size, 2)
  })

  test('requests the code by email when the recipient is an email address', async () => {
    await using gateway = await openTestGateway(started)
    assert.equal((await run(['otp', 'send', ADDRESS], gateway)).code, 0)
    assert.deepEqual(gateway.requests[0]?.body, { to: ADDRESS, channel: 'email', ttl_seconds: 300, max_attempts: 3 })
  })

  test('prints the reason of a refusal, never the recipient', async () => {
    await using gateway = await openTestGateway(refuseWith(429, 'a limit on messages is reached'))
    for (const recipient of [NUMBER, ADDRESS]) {
      const { code, err } = await run(['otp', 'send', recipient], gateway)
      assert.deepEqual([code, err], [1, 'pombo: the gateway answered 429: a limit on messages is reached\n'])
    }
  })
})

describe('otp check', () => {
  const ANSWERS: readonly [status: string, left: number, code: number, out: string][] = [
    ['verified', 0, 0, 'verified\n'],
    ['invalid', 2, 1, 'invalid, 2 attempts left\n'],
    ['invalid', 1, 1, 'invalid, 1 attempt left\n'],
    ['exhausted', 0, 1, 'exhausted\n'],
    ['expired', 0, 1, 'expired\n'],
    ['canceled', 0, 1, 'canceled\n'],
    ['already_verified', 0, 1, 'already_verified\n'],
  ]
  for (const [status, left, code, out] of ANSWERS) {
    test(`exits with ${code} when the code is ${status} with ${left} attempts left`, async () => {
      const answer = { challenge_id: ID, valid: status === 'verified', status, attempts_remaining: left }
      await using gateway = await openTestGateway(() => answer)
      assert.deepEqual(await run(['otp', 'check', ID, '012345'], gateway), { code, out, err: '' })
      assert.deepEqual(gateway.requests[0]?.body, { challenge_id: ID, code: '012345' })
      assert.equal(gateway.requests[0]?.path, '/v1/otp/validate')
      assert.deepEqual(JSON.parse((await run(['otp', 'check', ID, '012345', '--json'], gateway)).out), answer)
    })
  }
})

describe('otp status, resend and cancel', () => {
  const shown = () => ({
    challenge_id: ID,
    status: 'pending',
    message_status: 'sent',
    expires_at: '2030-01-31T12:05:00Z',
  })
  for (const [verb, method, path] of [
    ['status', 'GET', `/v1/otp/${ID}`],
    ['resend', 'POST', `/v1/otp/${ID}/resend`],
    ['cancel', 'POST', `/v1/otp/${ID}/cancel`],
  ] as const) {
    test(`${verb} prints how the challenge stands`, async () => {
      await using gateway = await openTestGateway(shown)
      const out = 'pending, message sent, expires at 2030-01-31T12:05:00Z\n'
      assert.deepEqual(await run(['otp', verb, ID], gateway), { code: 0, out, err: '' })
      assert.deepEqual([gateway.requests[0]?.method, gateway.requests[0]?.path], [method, path])
      assert.deepEqual(JSON.parse((await run(['otp', verb, ID, '--json'], gateway)).out), shown())
    })
  }
})

test('otp check --to checks the code for this recipient only', async () => {
  const answer = { challenge_id: ID, valid: true, status: 'verified', attempts_remaining: 0 }
  await using gateway = await openTestGateway(() => answer)
  assert.equal((await run(['otp', 'check', ID, 'k7wx', '--to', ADDRESS], gateway)).code, 0)
  assert.deepEqual(gateway.requests[0]?.body, { challenge_id: ID, code: 'k7wx', to: ADDRESS })
})

const WRONG: readonly [argv: readonly string[], message: RegExp][] = [
  [['otp'], /^pombo: usage: pombo otp send RECIPIENT \| check CHALLENGE CODE \| status\|resend\|cancel CHALLENGE/],
  [['otp', 'send', NUMBER, '123456'], /^pombo: usage: pombo otp send RECIPIENT, or/],
  [['otp', 'check', ID], /^pombo: usage: pombo otp send RECIPIENT, or/],
  [['otp', 'cancel', 'x'], /^pombo: CHALLENGE must be the id/],
  [['otp', 'cancel', ID, '123456'], /^pombo: usage: pombo otp send RECIPIENT, or/],
  [['otp', 'guess', ID], /^pombo: usage: pombo otp send RECIPIENT, or/],
  [
    ['otp', 'send', '15005550100'],
    /^pombo: RECIPIENT must be a phone number in E\.164 format, such as \+15005550100, or an email/,
  ],
  [['otp', 'send', 'ann@localhost'], /^pombo: RECIPIENT must be a phone number in E\.164/],
  [['otp', 'send', NUMBER, '--ttl', '3601'], /^pombo: --ttl must be a whole number from 1 to 3600\n/],
  [['otp', 'send', NUMBER, '--attempts', '11'], /^pombo: --attempts must be a whole number from 1 to 10\n/],
  [
    ['otp', 'check', ID, '123'],
    /^pombo: CHALLENGE must be the id that `pombo otp send` printed, and CODE 4 to 10 digits, or letters and digits\n/,
  ],
  [['otp', 'check', 'x', '123456'], /^pombo: CHALLENGE must be/],
  [['otp', 'check', ID, '123456', '--to', 'nobody'], /^pombo: --to must be a phone number/],
  [['otp', 'send', NUMBER, '--length', '3'], /^pombo: --length must be a whole number from 4 to 10\n/],
  [['otp', 'send', NUMBER, '--length', '11'], /^pombo: --length must be a whole number from/],
]
for (const [argv, message] of WRONG) {
  test(`pombo ${argv.join(' ')} is a usage error`, async () => {
    const { code, out, err } = await run(argv)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, message)
  })
}
