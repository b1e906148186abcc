import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { instant, seconds } from '../../lib/time.ts'
import { openFixture, type World } from '../server.fixture.ts'
import { ADMIN, HOOK, NOON, openEndpoints } from './endpoints.fixture.ts'

const world: World = { openEngine: openMemoryEngine, ids: openIds() }
const open = () => openEndpoints(world)
const A_MINUTE_LATER = '2030-01-31T12:01:00.000Z'

const SHOWN = {
  ...HOOK,
  description: null,
  events: [],
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  created_at: NOON,
  updated_at: NOON,
}

test('creating an endpoint returns its secret; get and list do not', async () => {
  await using opened = await open()
  const made = await opened.admin('POST', '/v1/endpoints', HOOK)
  assert.deepEqual(
    [made.statusCode, made.json()],
    [201, { ...SHOWN, secret: `whsec_acme main orders ${Date.parse(NOON)}` }],
  )
  const reader = await opened.api.caller({ scope: 'messages:read' })
  assert.deepEqual((await reader('GET', '/v1/endpoints/orders')).json(), SHOWN)
  assert.deepEqual((await reader('GET', '/v1/endpoints')).json(), { items: [SHOWN] })
})

test('keeps all fields, and generates an id', async () => {
  await using opened = await open()
  const given = { url: HOOK.url, description: 'Order service', events: ['message.failed', 'message.delivered'] }
  const made = (await opened.admin('POST', '/v1/endpoints', given)).json()
  assert.match(made.id, /^[0-9a-f-]{36}$/)
  const { secret, ...shown } = made
  assert.deepEqual(shown, { ...SHOWN, ...given, id: made.id })
  assert.equal(secret, `whsec_acme main ${made.id} ${Date.parse(NOON)}`)
})

test('an update changes the given fields, and null removes one', async () => {
  await using opened = await open()
  const { api, admin } = opened
  await opened.make({ description: 'Order service', events: ['message.failed'] })
  api.pass(seconds(60))
  const changed = await admin('PATCH', '/v1/endpoints/orders', { description: null })
  assert.deepEqual(changed.json(), { ...SHOWN, events: ['message.failed'], updated_at: A_MINUTE_LATER })
  const again = await admin('PATCH', '/v1/endpoints/orders', { url: 'http://acme.example', events: [] })
  assert.deepEqual(again.json(), { ...SHOWN, url: 'http://acme.example', updated_at: A_MINUTE_LATER })
  assert.deepEqual((await admin('GET', '/v1/endpoints/orders')).json(), again.json())
})

test('an endpoint disabled manually stays disabled until it is enabled', async () => {
  await using opened = await open()
  const { admin } = opened
  await opened.make()
  const disabled = (await admin('PATCH', '/v1/endpoints/orders', { enabled: false })).json()
  assert.deepEqual(disabled, { ...SHOWN, enabled: false, disabled_reason: 'by_hand' })
  assert.deepEqual((await admin('PATCH', '/v1/endpoints/orders', { enabled: true })).json(), SHOWN)
})

test('an endpoint disabled for failing says so until it is enabled', async () => {
  await using opened = await open()
  const { api, admin } = opened
  await opened.make()
  const key = { tenantId: 'acme', accountId: 'main', id: 'orders' } as never
  const failing = { kind: 'failing', at: api.clock(), longestFailing: instant(api.clock() - 1) } as const
  await api.deps.endpoints.judge(key, failing)
  assert.deepEqual((await admin('GET', '/v1/endpoints/orders')).json(), { ...SHOWN, failing_since: NOON })
  await api.deps.endpoints.judge(key, { ...failing, longestFailing: instant(api.clock() + 1) })
  for (const change of [{ description: null }, { enabled: false }]) {
    const { enabled, disabled_reason: reason } = (await admin('PATCH', '/v1/endpoints/orders', change)).json()
    assert.deepEqual([enabled, reason], [false, 'failing'])
  }
  assert.deepEqual((await admin('PATCH', '/v1/endpoints/orders', { enabled: true })).json(), SHOWN)
})

test('the id of a deleted endpoint can be reused, with another secret', async () => {
  await using opened = await open()
  const { api, admin } = opened
  const { secret } = await opened.make()
  assert.equal((await admin('DELETE', '/v1/endpoints/orders')).statusCode, 204)
  for (const method of ['GET', 'DELETE'] as const) {
    assert.equal((await admin(method, '/v1/endpoints/orders')).statusCode, 404)
  }
  assert.equal((await admin('PATCH', '/v1/endpoints/orders', { enabled: true })).statusCode, 404)
  api.pass(seconds(60))
  assert.notEqual((await opened.make()).secret, secret)
})

test('a taken id and a concurrent change are conflicts', async () => {
  await using opened = await open()
  const { api, admin } = opened
  await opened.make()
  const taken = await admin('POST', '/v1/endpoints', HOOK)
  assert.deepEqual([taken.statusCode, taken.json().error_code], [409, 'CONFLICT'])

  const { endpoints } = api.deps
  const change: typeof endpoints.change = async (endpoint) => {
    await endpoints.change({ ...endpoint, url: 'https://first.example' })
    return endpoints.change(endpoint)
  }
  await using raced = await openFixture(world, { endpoints: { ...endpoints, change } })
  const changer = await raced.caller(ADMIN)
  assert.equal((await changer('PATCH', '/v1/endpoints/orders', { url: 'https://x.example' })).statusCode, 409)
  assert.equal((await admin('GET', '/v1/endpoints/orders')).json().url, 'https://first.example')
})

test('an account has at most 100 endpoints, counted per account', async () => {
  await using opened = await open()
  for (let nth = 1; nth <= 100; nth += 1) await opened.make({ id: `e${nth}` })
  const refused = await opened.admin('POST', '/v1/endpoints', HOOK)
  assert.deepEqual([refused.statusCode, refused.json().error_code], [409, 'QUOTA_EXCEEDED'])
  assert.match(refused.json().detail, /100 endpoints/)
  for (const stranger of await opened.strangers()) {
    assert.equal((await stranger('POST', '/v1/endpoints', HOOK)).statusCode, 201)
  }
})

test('other accounts and tenants see no endpoint, and may use the same id', async () => {
  await using opened = await open()
  await opened.make()
  for (const stranger of await opened.strangers()) {
    assert.deepEqual((await stranger('GET', '/v1/endpoints')).json(), { items: [] })
    for (const method of ['GET', 'DELETE'] as const) {
      assert.equal((await stranger(method, '/v1/endpoints/orders')).statusCode, 404)
    }
    assert.equal((await stranger('PATCH', '/v1/endpoints/orders', { enabled: false })).statusCode, 404)
    assert.equal((await stranger('POST', '/v1/endpoints', { ...HOOK, url: 'http://x.example' })).statusCode, 201)
  }
  assert.deepEqual((await opened.admin('GET', '/v1/endpoints')).json(), { items: [SHOWN] })
})

test('needs messages:read to read and admin to change', async () => {
  await using opened = await open()
  await opened.make()
  const reader = await opened.api.caller()
  assert.equal((await reader('POST', '/v1/endpoints', HOOK)).statusCode, 403)
  assert.equal((await reader('PATCH', '/v1/endpoints/orders', { enabled: false })).statusCode, 403)
  assert.equal((await reader('DELETE', '/v1/endpoints/orders')).statusCode, 403)
  const sender = await opened.api.caller({ scope: 'sms:send' })
  for (const path of ['', '/orders']) assert.equal((await sender('GET', `/v1/endpoints${path}`)).statusCode, 403)
})

test('does not find a malformed id or the reserved id callback', async () => {
  await using opened = await open()
  for (const id of ['a%20b', '%00', '-', 'callback']) {
    assert.equal((await opened.admin('GET', `/v1/endpoints/${id}`)).statusCode, 404)
    assert.equal((await opened.admin('DELETE', `/v1/endpoints/${id}`)).statusCode, 404)
  }
})

const WRONG: readonly [what: string, fields: object, path: string, message: RegExp][] = [
  ['another scheme', { url: 'ftp://acme.example' }, '/url', /http or https/],
  ['a password', { url: 'https://me:word@acme.example' }, '/url', /password/],
  ['a fragment', { url: 'https://acme.example#x' }, '/url', /fragment/],
  ['a URL without end', { url: `https://acme.example/${'x'.repeat(2048)}` }, '/url', /./],
  ['no URL', { url: undefined }, '/url', /required/],
  ['an odd id', { id: 'a b' }, '/id', /./],
  ['the name of callbacks', { id: 'callback' }, '/id', /reserved/],
  ['an unknown event', { events: ['message.lost'] }, '/events/0', /one of message.queued, /],
  ['an event twice', { events: ['message.sent', 'message.sent'] }, '/events', /duplicate/],
  ['NUL in its description', { description: 'a\0' }, '/description', /printable/],
  ['a secret of its own', { secret: 'whsec_x' }, '/secret', /not a known field/],
]

for (const [what, fields, path, message] of WRONG) {
  test(`refuses an endpoint with ${what}, naming the field`, async () => {
    await using opened = await open()
    const refused = await opened.admin('POST', '/v1/endpoints', { ...HOOK, ...fields })
    assert.equal(refused.statusCode, 400)
    const problem = refused.json().details.find((one: { path: string }) => one.path === path)
    assert.match(problem?.message ?? JSON.stringify(refused.json().details), message)
    assert.deepEqual((await opened.admin('GET', '/v1/endpoints')).json(), { items: [] })
  })
}

test('refuses an update with an invalid URL or without fields', async () => {
  await using opened = await open()
  await opened.make()
  for (const change of [{ url: 'https://u@acme.example' }, {}, { id: 'x' }, { enabled: null }]) {
    assert.equal((await opened.admin('PATCH', '/v1/endpoints/orders', change)).statusCode, 400)
  }
  assert.deepEqual((await opened.admin('GET', '/v1/endpoints/orders')).json(), SHOWN)
})
