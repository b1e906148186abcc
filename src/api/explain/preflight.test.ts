import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openNumberPlans } from '../../engines/libphonenumber/number-plans.ts'
import { seconds } from '../../lib/time.ts'
import { openFixture, SMS } from '../server.fixture.ts'
import type { ApiDeps } from '../server.ts'
import type { PreflightReport } from './preflight-schemas.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const MAIL = { channel: 'email', to: 'ana@example.com', subject: 'Your parcel', html: '<p>On its way.</p>' }

async function open(deps: Partial<ApiDeps> = {}) {
  const api = await openFixture(world, deps)
  const [call, admin] = [await api.caller(), await api.caller({ scope: 'admin' })]
  const preflight = async (body: object, as = call): Promise<PreflightReport> => {
    const answer = await as('POST', '/v1/preflight', body)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json()
  }
  return { api, call, admin, preflight, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

test('reports an SMS in full', async () => {
  await using opened = await open({ numberPlans: openNumberPlans() })
  await opened.admin('PUT', '/v1/limits/recipient/%2B5511987654321', { limit: 3, window_seconds: 60 })
  assert.equal((await opened.call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'a' })).statusCode, 202)
  const report = await opened.preflight({ ...SMS, message: 'It’s here…', sender_id: 'Acme', idempotency_key: 'b' })
  const storedBytes = report.quotas?.[1]?.used ?? 0
  assert.ok(storedBytes > 0)
  assert.deepEqual(report, {
    valid: true,
    problems: [],
    warnings: [],
    recipient: { kind: 'phone', country: 'BR', number_type: 'mobile', suppressed: false, recipient_id: null },
    sms: { encoding: 'ucs2', segments: 1, units: 10, characters_forcing_ucs2: ['’', '…'] },
    email: null,
    limits: [
      {
        scope: 'recipient',
        key: '+*******4321',
        set_by: 'tenant',
        limit: 3,
        window_seconds: 60,
        used: 1,
        remaining: 2,
        resets_at: '2030-01-31T12:01:00.000Z',
        would_refuse: false,
      },
    ],
    quotas: [
      { quota: 'waiting_messages', limit: 1_000_000, used: 1, would_refuse: false },
      { quota: 'stored_bytes', limit: null, used: storedBytes, would_refuse: false },
    ],
    sender: { allowed: true, reason: null },
    route: {
      id: 'usual-sms',
      reasons: ['it takes every message of its channel', 'usual-email: for another channel'],
      providers: [
        {
          name: 'fake',
          up: true,
          breaker_state: 'closed',
          reason: 'first available provider',
          open_since: null,
          retry_at: null,
          paused_until: null,
        },
      ],
    },
    queue: { lane: 'transactional', ready: 1, delayed: 0, parked: 0, taken: 0 },
    idempotency: { status: 'new', message_id: null },
    would_send: {
      accepted: true,
      refusal: null,
      at: '2030-01-31T12:00:00.000Z',
      provider: 'fake',
      text: 'Pombo would accept the message and send it by fake in turn, with 1 message of the tenant that is due in the lane transactional.',
    },
  })
})

test('reports every problem at once, not only what refuses the send first', async () => {
  await using opened = await open({ providers: new Map() })
  await opened.call('PUT', `/v1/suppressions/${MAIL.to}`, {})
  await opened.admin('PUT', '/v1/limits/account/main', { limit: 1, window_seconds: 60 })
  const inspector = { inspect: async () => [{ detail: 'a script element', line: 3 }] }
  await using scripted = await open({ inspector })
  const { problems, would_send } = await opened.preflight(MAIL)
  assert.deepEqual(
    problems.map(({ path, code }) => [path, code]),
    [
      ['', 'NO_ROUTE_FOUND'],
      ['/to', 'RECIPIENT_SUPPRESSED'],
    ],
  )
  assert.equal(would_send.refusal?.error_code, 'NO_ROUTE_FOUND')

  const flawed = await scripted.preflight(MAIL)
  assert.deepEqual(flawed.problems, [
    { path: '/html', message: 'the HTML has a script element in line 3', code: 'INVALID_TEMPLATE' },
  ])
  assert.deepEqual(
    flawed.email?.checks.map(({ check, passed }) => [check, passed]),
    [
      ['INTEGRITY', true],
      ['RECIPIENT', true],
      ['TEMPLATE', false],
    ],
  )
  assert.deepEqual([flawed.valid, flawed.would_send.accepted, flawed.would_send.provider], [false, true, null])
  assert.match(flawed.would_send.text, /^Pombo would accept the message, but not send it: the HTML has a script/)
})

test('says when it would go while the circuit breaker of its only provider is open', async () => {
  await using opened = await open()
  const { breakers, clock } = opened.api.deps
  await breakers.force('fake' as ProviderName, 'open', clock(), seconds(300))
  const { valid, warnings, route, would_send } = await opened.preflight(SMS)
  assert.deepEqual([valid, warnings[0]?.code], [true, 'NO_PROVIDER_AVAILABLE'])
  assert.deepEqual(route?.providers[0], {
    name: 'fake',
    up: false,
    breaker_state: 'open',
    reason: 'an operator opened its circuit breaker at 2030-01-31T12:00:00.000Z',
    open_since: '2030-01-31T12:00:00.000Z',
    retry_at: '2030-01-31T12:05:00.000Z',
    paused_until: '2030-01-31T12:05:00.000Z',
  })
  assert.deepEqual([would_send.at, would_send.provider], ['2030-01-31T12:05:00.000Z', null])
  assert.equal(
    would_send.text,
    'Pombo would accept the message and send it as soon as a provider of its route can be called, at 12:05:00 UTC at the earliest.',
  )
})

test('warns of a deadline that passes before a provider can be called', async () => {
  await using opened = await open()
  const { breakers, clock } = opened.api.deps
  await breakers.force('fake' as ProviderName, 'open', clock(), seconds(300))
  const { valid, warnings } = await opened.preflight({ ...SMS, expires_at: '2030-01-31T12:04:00Z' })
  assert.deepEqual(
    [valid, warnings.map(({ path, code }) => [path, code])],
    [
      true,
      [
        ['', 'NO_PROVIDER_AVAILABLE'],
        ['/expires_at', 'EXPIRED'],
      ],
    ],
  )
})

test('of a one-time code hashes nothing and begins no challenge', async () => {
  const unused = (): never => {
    throw new Error('a preflight has an effect')
  }
  await using opened = await open()
  const { challenges, hasher } = opened.api.deps
  await using guarded = await open({
    challenges: { ...challenges, begin: unused, arm: unused },
    hasher: { ...hasher, hash: unused, matches: unused },
  })
  const { would_send } = await guarded.preflight({ kind: 'otp', to: SMS.to })
  assert.equal(would_send.accepted, true)
})

test('warns of a number that its country does not have, and accepts it like the send', async () => {
  await using opened = await open({ numberPlans: openNumberPlans() })
  const { valid, warnings } = await opened.preflight({ ...SMS, to: '+55119' })
  assert.equal(valid, true)
  assert.deepEqual([warnings[0]?.path, warnings[0]?.code], ['/to', 'INVALID_NUMBER'])
  assert.match(warnings[0]?.message ?? '', /^is not a possible number in BR/)
})

test('needs no idempotency key, and says what one was used for', async () => {
  await using opened = await open()
  const keyed = { ...SMS, idempotency_key: 'order-1138' }
  assert.equal((await opened.preflight(SMS)).idempotency, null)
  const { id } = (await opened.call('POST', '/v1/sms/send', keyed)).json()
  assert.deepEqual((await opened.preflight(keyed)).idempotency, { status: 'replay', message_id: id })
  const other = await opened.preflight({ ...keyed, message: 'Other' })
  assert.deepEqual([other.idempotency?.status, other.problems[0]?.path], ['mismatch', '/idempotency_key'])
})

test('shows routes, providers and quotas only to those who may read', async () => {
  await using opened = await open()
  const sender = await opened.api.caller({ scope: 'sms:send' })
  const { valid, route, quotas, queue, would_send } = await opened.preflight(SMS, sender)
  assert.deepEqual([valid, route, quotas, queue, would_send.provider], [true, null, null, null, null])
  assert.equal(would_send.text, 'Pombo would accept the message and send it at once.')
})

test('repeats neither the recipient nor the text, nor a code', async () => {
  await using opened = await open()
  await opened.admin('PUT', '/v1/limits/recipient/*', { limit: 1, window_seconds: 60 })
  for (const body of [SMS, MAIL, { kind: 'otp', to: SMS.to }]) {
    const report = JSON.stringify(await opened.preflight(body))
    for (const secret of ['987654321', 'ana@', 'parcel', 'On its way', '402718']) {
      assert.ok(!report.includes(secret), `${secret} in ${report}`)
    }
  }
})

test('counts the limit on codes, beside those that were set', async () => {
  await using opened = await open()
  await opened.admin('PUT', '/v1/limits/account/main', { limit: 9, window_seconds: 60 })
  const { limits, sms } = await opened.preflight({ kind: 'otp', to: SMS.to })
  assert.deepEqual(
    limits.map(({ scope, key, set_by, limit, used }) => [scope, key, set_by, limit, used]),
    [
      ['account', 'main', 'tenant', 9, 0],
      ['otp', '+*******4321', null, 5, 0],
    ],
  )
  assert.equal(sms?.segments, 1)
})

test('a preflight of a code takes its shape into account', async () => {
  await using opened = await open()
  const shape = { code_length: 10, code_alphabet: 'alphanumeric' }
  const [short, long] = [
    await opened.preflight({ kind: 'otp', to: SMS.to }),
    await opened.preflight({ kind: 'otp', to: SMS.to, ...shape }),
  ]
  assert.equal((long.sms?.units ?? 0) - (short.sms?.units ?? 0), 4)
  const { problems } = await opened.preflight({ kind: 'otp', to: SMS.to, code_length: 4, max_attempts: 6 })
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['/max_attempts'],
  )
})

for (const body of [[], 'text', { kind: 'fax' }, { channel: 'fax' }, { kind: 'otp' }]) {
  test(`reports a body that is no message: ${JSON.stringify(body)}`, async () => {
    await using opened = await open()
    const { statusCode, json } = await opened.call('POST', '/v1/preflight', JSON.stringify(body), {
      'content-type': 'application/json',
    })
    assert.deepEqual([statusCode, json().valid, json().would_send.refusal.error_code], [200, false, 'VALIDATION_ERROR'])
  })
}
