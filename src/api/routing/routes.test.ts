import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName, RouteId, TenantId } from '../../domain/ids.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'
import { openFixture, SMS, type World } from '../server.fixture.ts'

const FILED: Route = {
  id: 'filed' as RouteId,
  channel: 'sms',
  providers: ['one' as ProviderName],
  unknown: { wait: seconds(5), policy: 'hold' },
}
const OTHERS: Route = { ...FILED, id: 'others' as RouteId, tenantId: 'other' as TenantId }
const world: World = {
  openEngine: (options) => openMemoryEngine({ ...options, file: [FILED, OTHERS] }),
  ids: openIds(),
}
const provider = (name: string): [ProviderName, Provider] => [
  name as ProviderName,
  {
    name: name as ProviderName,
    capabilities: { channels: ['sms'], reports: 'callback' },
    send: async () => assert.fail('nothing is sent here'),
    readCallback: async () => 'forged',
  },
]
const providers = new Map(['one', 'two'].map(provider))
const ADMIN = { scope: 'admin' }
const NOON = '2030-01-31T12:00:00.000Z'
const BRAZIL = { id: 'brazil', channel: 'sms', prefix: '+55', providers: ['two', 'one'] }

async function open() {
  const api = await openFixture(world, { providers })
  return { api, admin: await api.caller(ADMIN), [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const SHOWN = {
  ...BRAZIL,
  source: 'api',
  kind: null,
  sender: null,
  operator_id: null,
  retry: null,
  unknown: null,
  created_at: NOON,
  updated_at: NOON,
}

test('creates, gets and lists a route, before those of the file', async () => {
  await using opened = await open()
  const { api, admin } = opened
  const made = await admin('POST', '/v1/routes', BRAZIL)
  assert.deepEqual([made.statusCode, made.json()], [201, SHOWN])
  const reader = await api.caller({ scope: 'messages:read' })
  assert.deepEqual((await reader('GET', '/v1/routes/brazil')).json(), SHOWN)
  const { items } = (await reader('GET', '/v1/routes')).json()
  assert.deepEqual(items[0], SHOWN)
  const { id, source, created_at: createdAt } = items[1]
  assert.deepEqual([items.length, id, source, createdAt], [2, 'filed', 'file', null])
})

test('keeps all fields, and generates an id', async () => {
  await using opened = await open()
  const given = {
    channel: 'sms',
    kind: 'flash_sms',
    sender: 'Pombo',
    prefix: '+5511',
    operator_id: 'vivo',
    providers: [
      { name: 'one', weight: 3 },
      { name: 'two', weight: 0 },
    ],
    retry: { delays_seconds: [1, 2.5], max_attempts: 2, jitter: 0.1, failover: true },
    unknown: { wait_seconds: 9, policy: 'failover', give_up_seconds: 600 },
  }
  const made = (await opened.admin('POST', '/v1/routes', given)).json()
  assert.match(made.id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(made, { ...SHOWN, ...given, id: made.id })
})

test('an update changes the given fields, and null removes one', async () => {
  await using opened = await open()
  const { api, admin } = opened
  await admin('POST', '/v1/routes', { ...BRAZIL, retry: { max_attempts: 2 }, sender: 'Pombo' })
  api.pass(seconds(60))
  const changed = await admin('PATCH', '/v1/routes/brazil', { prefix: '+5511', retry: null, providers: ['one'] })
  const expected = { ...SHOWN, prefix: '+5511', sender: 'Pombo', providers: ['one'] }
  assert.deepEqual(changed.json(), { ...expected, updated_at: '2030-01-31T12:01:00.000Z' })
  assert.deepEqual((await admin('GET', '/v1/routes/brazil')).json(), changed.json())
})

test('the id of a deleted route can be reused', async () => {
  await using opened = await open()
  const { admin } = opened
  await admin('POST', '/v1/routes', BRAZIL)
  assert.equal((await admin('DELETE', '/v1/routes/brazil')).statusCode, 204)
  for (const method of ['GET', 'DELETE'] as const) {
    assert.equal((await admin(method, '/v1/routes/brazil')).statusCode, 404)
  }
  assert.equal((await admin('PATCH', '/v1/routes/brazil', { prefix: '+1' })).statusCode, 404)
  assert.equal((await admin('POST', '/v1/routes', BRAZIL)).statusCode, 201)
})

test('a taken id, a route of the file and a concurrent change are conflicts', async () => {
  await using opened = await open()
  const { api, admin } = opened
  await admin('POST', '/v1/routes', BRAZIL)
  for (const id of ['brazil', 'filed']) {
    assert.equal((await admin('POST', '/v1/routes', { ...BRAZIL, id })).statusCode, 409)
  }
  const ofFile = await admin('PATCH', '/v1/routes/filed', { prefix: '+1' })
  assert.deepEqual([ofFile.statusCode, ofFile.json().error_code], [409, 'CONFLICT'])
  assert.equal((await admin('DELETE', '/v1/routes/filed')).statusCode, 409)

  const { routes } = api.deps
  const change: typeof routes.change = async (route) => {
    await routes.change({ ...route, prefix: '+1' })
    return routes.change(route)
  }
  await using raced = await openFixture(world, { providers, routes: { ...routes, change } })
  const overtaken = await (await raced.caller(ADMIN))('PATCH', '/v1/routes/brazil', { prefix: '+3' })
  assert.equal(overtaken.statusCode, 409)
  assert.equal((await admin('GET', '/v1/routes/brazil')).json().prefix, '+1')
})

test('another tenant does not see the route, and may use the same id', async () => {
  await using opened = await open()
  const { api, admin } = opened
  await admin('POST', '/v1/routes', BRAZIL)
  const stranger = await api.caller({ ...ADMIN, tenant_id: 'other' })
  const listed = (await stranger('GET', '/v1/routes')).json().items.map(({ id }: { id: string }) => id)
  assert.deepEqual(listed, ['filed', 'others'])
  assert.equal((await stranger('GET', '/v1/routes/brazil')).statusCode, 404)
  assert.equal((await admin('GET', '/v1/routes/others')).statusCode, 404)
  assert.equal((await stranger('DELETE', '/v1/routes/brazil')).statusCode, 404)
  assert.equal((await stranger('POST', '/v1/routes', { ...BRAZIL, prefix: '+1' })).statusCode, 201)
  assert.equal((await admin('GET', '/v1/routes/brazil')).json().prefix, '+55')
})

test('needs messages:read to read and admin to change', async () => {
  await using opened = await open()
  const reader = await opened.api.caller()
  assert.equal((await reader('POST', '/v1/routes', BRAZIL)).statusCode, 403)
  assert.equal((await reader('PATCH', '/v1/routes/filed', { prefix: '+1' })).statusCode, 403)
  assert.equal((await reader('DELETE', '/v1/routes/filed')).statusCode, 403)
  const sender = await opened.api.caller({ scope: 'sms:send' })
  assert.equal((await sender('GET', '/v1/routes')).statusCode, 403)
  assert.equal((await sender('POST', '/v1/routes/resolve', { to: SMS.to })).statusCode, 403)
})

const WRONG: readonly [what: string, fields: object, path: string, message: RegExp][] = [
  ['a stranger', { providers: ['one', 'x'] }, '/providers/1', /is not a provider; choose among one, two/],
  ['a provider twice', { providers: ['one', 'one'] }, '/providers/1', /already listed/],
  ['a mixture', { providers: [{ name: 'one', weight: 1 }, 'two'] }, '/providers', /mixes two forms/],
  ['no weight', { providers: [{ name: 'one', weight: 0 }] }, '/providers', /no weight above 0/],
  ['a negative weight', { providers: [{ name: 'one', weight: -1 }] }, '/providers/0', /./],
  ['no provider', { providers: [] }, '/providers', /./],
  ['an odd prefix', { prefix: '55' }, '/prefix', /./],
  ['an odd sender', { sender: ' x' }, '/sender', /sender id/],
  ['an odd id', { id: 'a b' }, '/id', /./],
  ['the name of our own', { id: 'users' }, '/id', /reserved/],
  ['the name of a call', { id: 'resolve' }, '/id', /reserved/],
  ['email', { channel: 'email' }, '/channel', /./],
  ['a tenant', { tenant_id: 'other' }, '/tenant_id', /not a known field/],
  ['no time to give up', { unknown: { give_up_seconds: 1 } }, '/unknown/give_up_seconds', /60/],
  ['an odd policy', { unknown: { policy: 'pray' } }, '/unknown/policy', /resend, failover, hold/],
]

for (const [what, fields, path, message] of WRONG) {
  test(`refuses a route with ${what}, naming the field`, async () => {
    await using opened = await open()
    const refused = await opened.admin('POST', '/v1/routes', { ...BRAZIL, ...fields })
    assert.equal(refused.statusCode, 400)
    const problem = refused.json().details.find((one: { path: string }) => one.path === path)
    assert.match(problem?.message ?? JSON.stringify(refused.json().details), message)
    assert.equal((await opened.admin('GET', '/v1/routes/brazil')).statusCode, 404)
  })
}

test('answers 503 until the routes are loaded', async () => {
  const { routes } = openMemoryEngine({ clock: () => 0 as never })
  await using api = await openFixture(world, { providers, routes: { ...routes, of: () => undefined } })
  const admin = await api.caller(ADMIN)
  assert.equal((await admin('GET', '/v1/routes')).statusCode, 503)
  assert.equal((await admin('POST', '/v1/routes', BRAZIL)).statusCode, 503)
  assert.equal((await admin('POST', '/v1/routes/resolve', { to: SMS.to })).statusCode, 503)
})
