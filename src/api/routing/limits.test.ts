import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ADMIN = { scope: 'admin' }
const PHONE = encodeURIComponent(SMS.to)
const BODY = { limit: 5, window_seconds: 60 }
const NOON = '2030-01-31T12:00:00.000Z'

const sends =
  (call: Call) =>
  (to: string = SMS.to) =>
    call('POST', '/v1/sms/send', { ...SMS, to, idempotency_key: randomUUID() })

test('sets, gets and lists a limit, unused', async () => {
  await using api = await openFixture(world)
  const admin = await api.caller(ADMIN)
  const set = await admin('PUT', '/v1/limits/account/shop', { ...BODY, algorithm: 'sliding' })
  assert.equal(set.statusCode, 200)
  const shown = {
    scope: 'account',
    key: 'shop',
    set_by: 'tenant',
    limit: 5,
    window_seconds: 60,
    algorithm: 'sliding',
    used: 0,
    remaining: 5,
    resets_at: null,
    updated_at: NOON,
  }
  assert.deepEqual(set.json(), shown)
  const reader = await api.caller({ scope: 'messages:read' })
  assert.deepEqual((await reader('GET', '/v1/limits/account/shop')).json(), shown)
  assert.deepEqual((await reader('GET', '/v1/limits')).json(), { items: [shown], next_cursor: null })
})

test('shows use until the window ends, and setting the limit again resets it', async () => {
  await using api = await openFixture(world)
  const [admin, send] = [await api.caller(ADMIN), sends(await api.caller())]
  const see = async () => {
    const { used, remaining, resets_at: resetsAt } = (await admin('GET', '/v1/limits/tenant/acme')).json()
    return [used, remaining, resetsAt]
  }
  await admin('PUT', '/v1/limits/tenant/acme', BODY)
  api.pass(seconds(10))
  for (let time = 0; time < 2; time += 1) await send()
  assert.deepEqual(await see(), [2, 3, '2030-01-31T12:01:00.000Z'])
  api.pass(seconds(60))
  assert.deepEqual(await see(), [0, 5, null])
  await send()
  const again = await admin('PUT', '/v1/limits/tenant/acme', { limit: 1, window_seconds: 60 })
  assert.deepEqual([again.json().used, again.json().remaining, again.json().algorithm], [0, 1, 'fixed'])
  assert.equal((await send()).statusCode, 202)
  assert.equal((await send()).statusCode, 429)
})

test('a deleted limit no longer applies', async () => {
  await using api = await openFixture(world)
  const [admin, send] = [await api.caller(ADMIN), sends(await api.caller())]
  await admin('PUT', '/v1/limits/account/main', { limit: 1, window_seconds: 60 })
  await send()
  assert.equal((await send()).statusCode, 429)
  const removed = await admin('DELETE', '/v1/limits/account/main')
  assert.deepEqual([removed.statusCode, removed.body], [204, ''])
  assert.equal((await send()).statusCode, 202)
  for (const method of ['GET', 'DELETE'] as const) {
    const answer = await admin(method, '/v1/limits/account/main')
    assert.deepEqual([answer.statusCode, answer.json().error_code], [404, 'NOT_FOUND'])
  }
})

test('stores a recipient as a hash and shows it masked', async () => {
  await using api = await openFixture(world)
  const admin = await api.caller(ADMIN)
  const set = await admin('PUT', `/v1/limits/recipient/${PHONE}`, BODY)
  assert.deepEqual([set.statusCode, set.json().key], [200, '+*******4321'])
  assert.equal((await admin('GET', `/v1/limits/recipient/${SMS.to}`)).statusCode, 200)
  const mail = await admin('PUT', '/v1/limits/recipient/ana%40Example.com', BODY)
  assert.deepEqual([mail.statusCode, mail.json().key], [200, 'a***@example.com'])
  assert.equal((await admin('GET', '/v1/limits/recipient/ana@example.com')).statusCode, 200)
  const send = sends(await api.caller())
  await send()
  assert.equal((await admin('GET', `/v1/limits/recipient/${PHONE}`)).json().used, 1)
  const listed = await admin('GET', '/v1/limits')
  assert.doesNotMatch(listed.body, /987654321|ana@/)
  assert.doesNotMatch(JSON.stringify(api.lines), /987654321|ana@/)
})

test('a default limit counts per key and has no use of its own', async () => {
  await using api = await openFixture(world)
  const [admin, send] = [await api.caller(ADMIN), sends(await api.caller())]
  const set = await admin('PUT', '/v1/limits/recipient/*', { limit: 1, window_seconds: 60 })
  const { key, used, remaining, resets_at: resetsAt } = set.json()
  assert.deepEqual([set.statusCode, key, used, remaining, resetsAt], [200, '*', null, null, null])
  for (const to of ['+5511987654321', '+5511987654322']) {
    assert.equal((await send(to)).statusCode, 202)
    assert.equal((await send(to)).statusCode, 429)
  }
  assert.equal((await admin('GET', `/v1/limits/recipient/${PHONE}`)).statusCode, 404)
})

test('a tenant sees and sets only its own limits', async () => {
  await using api = await openFixture(world)
  const [admin, other] = [await api.caller(ADMIN), await api.caller({ ...ADMIN, tenant_id: 'globex' })]
  for (const key of ['globex', '*']) {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await admin(method, `/v1/limits/tenant/${key}`, method === 'PUT' ? BODY : undefined)
      assert.equal(answer.statusCode, 404)
    }
  }
  await admin('PUT', '/v1/limits/account/shop', BODY)
  assert.equal((await other('GET', '/v1/limits/account/shop')).statusCode, 404)
  assert.equal((await other('DELETE', '/v1/limits/account/shop')).statusCode, 404)
  assert.deepEqual((await other('GET', '/v1/limits')).json().items, [])
})

test('lists limits page by page, by scope', async () => {
  await using api = await openFixture(world)
  const admin = await api.caller(ADMIN)
  for (const path of ['user/101', 'user/a%20b%2Fc', 'account/shop', 'tenant/acme']) {
    assert.equal((await admin('PUT', `/v1/limits/${path}`, BODY)).statusCode, 200)
  }
  const keysOf = (answer: Awaited<ReturnType<typeof admin>>): string[] =>
    answer.json().items.map(({ scope, key }: { scope: string; key: string }) => `${scope} ${key}`)
  const first = await admin('GET', '/v1/limits?limit=3')
  assert.deepEqual(keysOf(first), ['account shop', 'tenant acme', 'user 101'])
  const cursor = encodeURIComponent(first.json().next_cursor)
  const second = await admin('GET', `/v1/limits?limit=3&cursor=${cursor}`)
  assert.deepEqual([keysOf(second), second.json().next_cursor], [['user a b/c'], null])
  assert.deepEqual(keysOf(await admin('GET', '/v1/limits?scope=user')), ['user 101', 'user a b/c'])
})

test('needs messages:read to read and admin to change', async () => {
  await using api = await openFixture(world)
  const [reader, writer] = [await api.caller({ scope: 'messages:read' }), await api.caller({ scope: 'messages:write' })]
  for (const caller of [reader, writer]) {
    assert.equal((await caller('PUT', '/v1/limits/account/shop', BODY)).statusCode, 403)
    assert.equal((await caller('DELETE', '/v1/limits/account/shop')).statusCode, 403)
  }
  assert.equal((await reader('GET', '/v1/limits')).statusCode, 200)
  assert.equal((await writer('GET', '/v1/limits')).statusCode, 403)
})

const NO_LIMITS: readonly (readonly [body: unknown, ...paths: string[]])[] = [
  [{ window_seconds: 60 }, '/limit'],
  [{ limit: 5 }, '/window_seconds'],
  [{}, '/limit', '/window_seconds'],
  ...[0, -1, 1.5, 1e9 + 1, 1e300, '5', null, true, [5]].map((limit) => [{ ...BODY, limit }, '/limit'] as const),
  ...[0, -60, 0.5, 31_536_001, '60', null].map(
    (time) => [{ ...BODY, window_seconds: time }, '/window_seconds'] as const,
  ),
  [{ limit: 0, window_seconds: 0 }, '/limit', '/window_seconds'],
  [{ ...BODY, algorithm: 'leaky' }, '/algorithm'],
  [{ ...BODY, burst: 3 }, '/burst'],
  [[], ''],
]

test('refuses an invalid limit, naming every field, and sets nothing', async () => {
  await using api = await openFixture(world)
  const admin = await api.caller(ADMIN)
  for (const [body, ...paths] of NO_LIMITS) {
    const answer = await admin('PUT', '/v1/limits/account/shop', JSON.stringify(body), JSON_BODY)
    assert.equal(answer.statusCode, 400, JSON.stringify(body))
    const named = answer.json().details.map(({ path }: { path: string }) => path)
    assert.deepEqual(named.toSorted(), paths.toSorted(), JSON.stringify(body))
  }
  assert.deepEqual((await admin('GET', '/v1/limits')).json().items, [])
})

test('accepts the largest and the smallest limit', async () => {
  await using api = await openFixture(world)
  const admin = await api.caller(ADMIN)
  for (const body of [
    { limit: 1e9, window_seconds: 31_536_000 },
    { limit: 1, window_seconds: 1 },
  ]) {
    const answer = await admin('PUT', '/v1/limits/user/101', body)
    const { limit, window_seconds } = answer.json()
    assert.deepEqual([answer.statusCode, { limit, window_seconds }], [200, body])
  }
})

test('refuses an invalid key and an unknown scope', async () => {
  await using api = await openFixture(world)
  const admin = await api.caller(ADMIN)
  const bad = [
    ['planet', 'earth', '/scope'],
    ['otp', 'somebody', '/scope'],
    ['account', 'no spaces', '/key'],
    ['account', 'x'.repeat(65), '/key'],
    ['recipient', '5511987654321', '/key'],
    ['recipient', 'nobody', '/key'],
    ['recipient', 'user:101', '/key'],
    ['user', 'x'.repeat(129), '/key'],
    ['user', 'bell\u0007', '/key'],
    ['user', 'nul\u0000', '/key'],
    ['user', 'line\nbreak', '/key'],
  ] as const
  for (const [scope, key, path] of bad) {
    const url = `/v1/limits/${scope}/${encodeURIComponent(key)}`
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await admin(method, url, method === 'PUT' ? BODY : undefined)
      assert.deepEqual([answer.statusCode, answer.json().details?.[0]?.path], [400, path], `${method} ${url}`)
    }
  }
  for (const query of ['scope=planet', 'limit=0', 'limit=201', 'cursor=', 'page=2']) {
    assert.equal((await admin('GET', `/v1/limits?${query}`)).statusCode, 400, query)
  }
})

test('answers 503 with Retry-After while the store is unreachable', async () => {
  const away = () => Promise.reject(new Unavailable('no store'))
  const rules = {
    ...{ scopes: () => new Set<never>(), counters: () => [], ofUser: async () => [] },
    ...{ find: away, set: away, remove: away, list: away },
  }
  await using api = await openFixture(world, { rules })
  const admin = await api.caller(ADMIN)
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    const answer = await admin(method, '/v1/limits/account/shop', method === 'PUT' ? BODY : undefined)
    assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '1'])
  }
})

const JSON_BODY = { 'content-type': 'application/json' }
