import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import { openCodeHasher } from '../../engines/crypto/code-hasher.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { CODE, openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const GENERATE = '/v1/otp/generate'
const VALIDATE = '/v1/otp/validate'
const TO = '+5511987654321'
const ADDRESS = 'bob@mail.example'
const WRONG = '000000'
const UNKNOWN = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'

async function openOtp(overrides: NonNullable<Parameters<typeof openFixture>[1]> = {}) {
  const api = await openFixture(world, overrides)
  const call = await api.caller()
  return {
    ...api,
    call,
    generate: (wanted: object = {}) => call('POST', GENERATE, { to: TO, idempotency_key: 'k', ...wanted }),
    start: async (wanted: object = {}): Promise<string> =>
      (await call('POST', GENERATE, { to: TO, idempotency_key: 'k', ...wanted })).json().challenge_id,
    validate: (challenge_id: unknown, code: unknown) => call('POST', VALIDATE, { challenge_id, code }),
  }
}

describe('generate', () => {
  test('returns the challenge, which is the message, and its expiry', async () => {
    await using api = await openOtp()
    const answer = await api.generate({ ttl_seconds: 60, app_name: 'Acme' })
    assert.equal(answer.statusCode, 202)
    const { challenge_id: id } = answer.json()
    assert.equal(
      answer.body,
      `{"challenge_id":"${id}","message_id":"${id}","request_id":"${id}","status":"pending","expires_at":"2030-01-31T12:01:00.000Z"}`,
    )
    assert.equal(answer.headers['ratelimit-policy'], '"otp";q=5;w=600')
    assert.equal(answer.headers['ratelimit'], '"otp";r=4;t=600')
    const shown = await api.call('GET', `/v1/messages/${id}`)
    assert.deepEqual([shown.json().lane, shown.json().expires_at], ['otp', '2030-01-31T12:01:00.000Z'])
  })

  test('repeated, gets the same bytes with Idempotent-Replayed and sends nothing', async () => {
    const started: string[] = []
    const nothing = () => undefined
    const others = { onAccepted: nothing, onChecked: nothing, onCallback: nothing, onRequestAnswered: nothing }
    await using api = await openOtp({ observe: { ...others, onCodeStarted: (channel) => started.push(channel) } })
    const first = await api.generate()
    api.pass(seconds(60))
    const again = await api.call('POST', GENERATE, { to: TO }, { 'idempotency-key': 'k' })
    assert.equal(again.body, first.body)
    assert.deepEqual(started, ['sms'])
    assert.deepEqual(
      [first, again].map(({ statusCode, headers }) => [statusCode, headers['idempotent-replayed']]),
      [
        [202, undefined],
        [202, 'true'],
      ],
    )
    assert.equal(await api.deps.log.tip(), 1)
  })

  test('with the same key and another payload is IDEMPOTENCY_MISMATCH', async () => {
    await using api = await openOtp()
    await api.generate()
    const byMail = { channel: 'email', to: ADDRESS }
    for (const other of [
      byMail,
      { to: '+5511987654322' },
      { ttl_seconds: 60 },
      { max_attempts: 1 },
      { app_name: 'Acme' },
    ]) {
      assert.equal((await api.generate(other)).json().error_code, 'IDEMPOTENCY_MISMATCH')
    }
  })

  test('S1-P9 a number at its limit gets 429 with Retry-After', async () => {
    const scene = fc.record({ limit: fc.integer({ min: 1, max: 4 }), window: fc.integer({ min: 1, max: 3600 }) })
    const property = fc.asyncProperty(scene, async ({ limit, window }) => {
      await using api = await openOtp({ otp: { limit, window: seconds(window) } })
      for (let nth = 1; nth <= limit; nth += 1) {
        assert.equal((await api.generate({ idempotency_key: `k${nth}` })).statusCode, 202)
      }
      const refused = await api.generate({ idempotency_key: 'one more' })
      assert.deepEqual([refused.statusCode, refused.json().error_code], [429, 'RATE_LIMITED'])
      assert.equal(refused.headers['retry-after'], String(window))
      assert.equal((await api.generate({ idempotency_key: 'k1' })).headers['idempotent-replayed'], 'true')
      assert.equal((await api.generate({ idempotency_key: 'one more', to: '+5511987654322' })).statusCode, 202)
      api.pass(seconds(window))
      assert.equal((await api.generate({ idempotency_key: 'later' })).statusCode, 202)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  const BAD: readonly [payload: object, paths: readonly string[]][] = [
    [{ to: '1198' }, ['/to']],
    [{ to: 5511987654321 }, ['/to']],
    [{ ttl_seconds: 29 }, ['/ttl_seconds']],
    [{ ttl_seconds: 3601 }, ['/ttl_seconds']],
    [{ ttl_seconds: 60.5 }, ['/ttl_seconds']],
    [{ ttl_seconds: '60' }, ['/ttl_seconds']],
    [{ ttl_seconds: 1e308 }, ['/ttl_seconds']],
    [{ max_attempts: 0 }, ['/max_attempts']],
    [{ max_attempts: 11 }, ['/max_attempts']],
    [{ max_attempts: -1 }, ['/max_attempts']],
    [{ app_name: '' }, ['/app_name']],
    [{ app_name: 'x'.repeat(41) }, ['/app_name']],
    [{ app_name: 'two\nlines' }, ['/app_name']],
    [{ locale: '../../etc' }, ['/locale']],
    [{ to: ADDRESS }, ['/to']],
    [{ channel: 'sms', to: ADDRESS }, ['/to']],
    [{ channel: 'email' }, ['/to']],
    [{ channel: 'email', to: 'ann@localhost' }, ['/to']],
    [{ channel: 'email', to: `Ann <${ADDRESS}>` }, ['/to']],
    [{ channel: 'email', to: [ADDRESS] }, ['/to']],
    [{ channel: 'fax' }, ['/channel']],
    [{ channel: null }, ['/channel']],
    [{ code: '123456' }, ['/code']],
    [{ idempotency_key: 'a\0b' }, ['/idempotency_key']],
    [
      { to: '', ttl_seconds: 0, max_attempts: '3', locale: '!', idempotency_key: 7 },
      ['/idempotency_key', '/locale', '/max_attempts', '/to', '/ttl_seconds'],
    ],
  ]
  for (const [payload, paths] of BAD) {
    test(`refuses ${JSON.stringify(payload)} at ${paths.join(', ')}`, async () => {
      await using api = await openOtp()
      const answer = await api.generate(payload)
      assert.equal(answer.statusCode, 400)
      const details: { path: string }[] = answer.json().details
      assert.deepEqual(details.map(({ path }) => path).toSorted(), paths)
      assert.equal(await api.deps.log.tip(), 0)
    })
  }

  test('refuses an address of the other channel without repeating it', async () => {
    await using api = await openOtp()
    const details = [await api.generate({ channel: 'email' }), await api.generate({ to: ADDRESS })].map(
      (answer) => answer.json().detail,
    )
    assert.deepEqual(details, [
      '/to must be an email address, for example ann@example.com, when channel is email',
      '/to must be a phone number in E.164 format, for example +15005550006, when channel is sms',
    ])
  })

  test('by email, creates an email that is tracked like any message, without its address', async () => {
    await using api = await openOtp()
    const answer = await api.generate({ channel: 'email', to: ADDRESS })
    assert.equal(answer.statusCode, 202)
    const { challenge_id: id } = answer.json()
    const { channel, type, lane, to, encoding } = (await api.call('GET', `/v1/messages/${id}`)).json()
    assert.deepEqual([channel, type, lane, to, encoding], ['email', 'email', 'otp', 'b***@mail.example', 'mime'])
    assert.equal((await api.validate(id, CODE)).json().status, 'verified')
    assert.ok(!JSON.stringify(api.lines).includes(ADDRESS))
  })

  test('to a suppressed address is refused until the suppression is deleted', async () => {
    await using api = await openOtp()
    const [tenantId, address] = ['acme' as TenantId, ADDRESS as EmailAddress]
    await api.deps.suppressions.add({ tenantId, address, reason: 'complaint', createdAt: api.clock() })
    const refused = await api.generate({ channel: 'email', to: ADDRESS.toUpperCase() })
    assert.deepEqual([refused.statusCode, refused.json().error_code], [422, 'RECIPIENT_SUPPRESSED'])
    assert.equal(refused.json().details[0].path, '/to')
    assert.equal(await api.deps.log.tip(), 0)
    await api.deps.suppressions.remove(tenantId, address)
    assert.equal((await api.generate({ channel: 'email', to: ADDRESS })).statusCode, 202)
  })

  test('needs an idempotency key and a body', async () => {
    await using api = await openOtp()
    assert.equal((await api.call('POST', GENERATE, { to: TO })).json().details[0].path, '/idempotency_key')
    for (const body of ['[]', '7', 'null', '"x"', '{"to":', '']) {
      const answer = await api.call('POST', GENERATE, body, { 'content-type': 'application/json' })
      assert.equal(answer.statusCode, 400, body)
    }
  })

  test('needs the scope', async () => {
    await using api = await openOtp()
    const stranger = await api.caller({ scope: 'sms:send messages:read' })
    assert.equal((await stranger('POST', GENERATE, { to: TO, idempotency_key: 'k' })).statusCode, 403)
    assert.equal((await stranger('POST', VALIDATE, { challenge_id: UNKNOWN, code: CODE })).statusCode, 403)
  })

  test('is 503 while challenges cannot be stored, and sends nothing', async () => {
    await using api = await openOtp()
    const { challenges } = api.deps
    await using away = await openOtp({
      challenges: { ...challenges, begin: () => Promise.reject(new Unavailable('unreachable')) },
    })
    const answer = await away.generate()
    assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '1'])
    assert.equal(await away.deps.log.tip(), 0)
  })
})

describe('validate', () => {
  test('the right code verifies once', async () => {
    await using api = await openOtp()
    const id = await api.start()
    const first = await api.validate(id, CODE)
    assert.equal(first.statusCode, 200)
    assert.equal(first.body, `{"challenge_id":"${id}","valid":true,"status":"verified","attempts_remaining":0}`)
    const { valid, status } = (await api.validate(id, CODE)).json()
    assert.deepEqual([valid, status], [false, 'already_verified'])
  })

  test('wrong codes use up the attempts', async () => {
    await using api = await openOtp()
    const id = await api.start({ max_attempts: 2 })
    const said = []
    for (const code of [WRONG, WRONG, CODE]) said.push((await api.validate(id, code)).json())
    assert.deepEqual(
      said.map(({ valid, status, attempts_remaining: left }) => [valid, status, left]),
      [
        [false, 'invalid', 1],
        [false, 'exhausted', 0],
        [false, 'exhausted', 0],
      ],
    )
  })

  test('a late code is expired', async () => {
    await using api = await openOtp()
    const id = await api.start({ ttl_seconds: 30 })
    api.pass(seconds(30))
    const { valid, status, attempts_remaining: left } = (await api.validate(id, CODE)).json()
    assert.deepEqual([valid, status, left], [false, 'expired', 0])
  })

  test('an unknown challenge and one of another tenant are the same 404', async () => {
    await using api = await openOtp()
    const id = await api.start()
    const other = await api.caller({ tenant_id: 'umbrella' })
    const [none, foreign] = [
      await api.validate(UNKNOWN, CODE),
      await other('POST', VALIDATE, { challenge_id: id, code: CODE }),
    ]
    assert.deepEqual([none.statusCode, foreign.statusCode], [404, 404])
    const { http_request_id: _1, trace_id: _2, ...unknown } = none.json()
    const { http_request_id: _3, trace_id: _4, ...hidden } = foreign.json()
    assert.equal(JSON.stringify(hidden), JSON.stringify(unknown).replaceAll(UNKNOWN, id))
    const challenge = await api.deps.challenges.find({ tenantId: 'acme' as TenantId, id: id as never })
    assert.equal(challenge?.attempts, 0)
  })

  test('a message without a code is not a challenge', async () => {
    await using api = await openOtp()
    const sms = await api.call('POST', '/v1/sms/send', { to: TO, message: 'hi', idempotency_key: 'k' })
    assert.equal((await api.validate(sms.json().request_id, CODE)).statusCode, 404)
  })

  for (const code of ['40271', '4027180', '40271a', ' 402718', '', 402718, null, '４０２７１８', ['402718']]) {
    test(`refuses ${JSON.stringify(code)} without using an attempt`, async () => {
      await using api = await openOtp()
      const id = await api.start({ max_attempts: 1 })
      const answer = await api.validate(id, code)
      assert.equal(answer.statusCode, 400)
      assert.deepEqual(
        answer.json().details.map(({ path }: { path: string }) => path),
        ['/code'],
      )
      assert.equal((await api.validate(id, CODE)).json().status, 'verified')
    })
  }

  test('reports both invalid fields', async () => {
    await using api = await openOtp()
    for (const [challenge, code] of [
      ['x', 'y'],
      [7, 'y'],
      ['x', 7],
      [undefined, undefined],
    ]) {
      const details: { path: string }[] = (await api.validate(challenge, code)).json().details
      assert.deepEqual(details.map(({ path }) => path).toSorted(), ['/challenge_id', '/code'])
    }
  })

  test('concurrent guesses compare at most max_attempts and verify at most once', async () => {
    await using hasher = openCodeHasher({ masterKey: randomBytes(32), cost: 4, threads: 2, waitingPerTenant: 100 })
    let compared = 0
    const matches: typeof hasher.matches = (...guess) => {
      compared += 1
      return hasher.matches(...guess)
    }
    await using api = await openOtp({ hasher: { ...hasher, matches } })
    const id = await api.start({ max_attempts: 3 })
    const guesses = Array.from({ length: 100 }, (_, nth) => (nth % 2 === 0 ? CODE : WRONG))
    const answers = await Promise.all(guesses.map((code) => api.validate(id, code)))
    assert.ok(answers.every(({ statusCode }) => statusCode === 200))
    assert.equal(compared, 3)
    assert.equal(answers.filter((answer) => answer.json().valid).length, 1)
  })
})
