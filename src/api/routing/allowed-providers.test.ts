/** The providers that an operator allows a tenant, and test mode, as routes, their resolution and the provider list show them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName, RouteId, TenantId } from '../../domain/ids.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { Provider } from '../../ports/provider.ts'
import { openFixture, SMS, type World } from '../server.fixture.ts'

const toProvider = (
  name: string,
  capabilities: Partial<Provider['capabilities']> = {},
  tenants?: readonly string[],
): [ProviderName, Provider] => [
  name as ProviderName,
  {
    name: name as ProviderName,
    capabilities: { channels: ['sms'], reports: 'callback', ...capabilities },
    send: async () => assert.fail('nothing is sent here'),
    readCallback: async () => 'forged',
    ...(tenants && { tenants: tenants as readonly TenantId[] }),
  },
]
const LIVE = [toProvider('one'), toProvider('two')]
const SIMULATED = [toProvider('sim', { simulated: true }), toProvider('sim-2', { simulated: true })]
const [ONE, TWO] = ['one', 'two'] as readonly string[] as readonly [ProviderName, ProviderName]

const FILED: Route = { id: 'filed' as RouteId, channel: 'sms', providers: [ONE, TWO], weights: [3, 0] }
const world: World = { openEngine: (options) => openMemoryEngine({ ...options, file: [FILED] }), ids: openIds() }

/** `allowed` are the providers that the operator allows the tenant, if not all. */
async function open(allowed?: readonly string[], providers = new Map([...LIVE, ...SIMULATED])) {
  const api = await openFixture(world, { providers })
  const operator = await api.caller({ scope: 'operator' })
  if (allowed !== undefined) await operator('POST', '/v1/tenants', { id: 'acme', providers: allowed })
  const admin = await api.caller({ scope: 'admin' })
  const tester = await api.caller({ scope: 'admin', test: true })
  return { api, operator, admin, tester, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const RESOLVE = { to: SMS.to }

test('a route of a tenant names only providers that it may use', async () => {
  await using opened = await open(['two'])
  const { admin, operator } = opened
  const route = { id: 'mine', channel: 'sms', providers: ['two'] }
  assert.equal((await admin('POST', '/v1/routes', route)).statusCode, 201)
  const calls = [
    await admin('POST', '/v1/routes', { ...route, id: 'other', providers: ['two', 'one'] }),
    await admin('PATCH', '/v1/routes/mine', { providers: ['two', 'one'] }),
    await operator('POST', '/v1/routes', { ...route, id: 'other', providers: ['two', 'one'] }),
  ]
  for (const refused of calls) {
    assert.equal(refused.statusCode, 400)
    assert.deepEqual(refused.json().details, [
      { path: '/providers/1', message: 'is not allowed for this tenant; choose among two' },
    ])
  }
  const stranger = await opened.api.caller({ scope: 'admin', tenant_id: 'other' })
  assert.equal((await stranger('POST', '/v1/routes', { ...route, providers: ['one'] })).statusCode, 201)
})

test('the ids of built-in routes are reserved', async () => {
  await using opened = await open()
  for (const id of ['test', 'users']) {
    const refused = await opened.admin('POST', '/v1/routes', { id, channel: 'sms', providers: ['one'] })
    assert.deepEqual([refused.statusCode, refused.json().details[0].path], [400, '/id'])
  }
})

test('the resolution of a route shows only what the tenant may use', async () => {
  await using opened = await open(['two'])
  const { route, provider, candidates, excluded } = (await opened.admin('POST', '/v1/routes/resolve', RESOLVE)).json()
  assert.deepEqual([route.id, route.providers, provider], ['filed', [{ name: 'two', weight: 0 }], 'two'])
  assert.deepEqual(candidates, [{ provider: 'two', chosen: true, reason: 'first available provider' }])
  assert.deepEqual(excluded, [])
})

test('a route without any provider that the tenant may use is excluded for that reason', async () => {
  await using opened = await open(['sim'])
  const { route, provider, candidates, excluded } = (await opened.admin('POST', '/v1/routes/resolve', RESOLVE)).json()
  assert.deepEqual([route, provider, candidates], [null, null, []])
  assert.deepEqual(excluded, [{ id: 'filed', reason: 'names no provider that this tenant may use' }])
})

test('in test mode every message resolves to the built-in route to the first simulator', async () => {
  await using opened = await open(['two'])
  await opened.tester('POST', '/v1/routes', { id: 'mine', channel: 'sms', providers: ['two'] })
  const { route, provider, excluded } = (await opened.tester('POST', '/v1/routes/resolve', RESOLVE)).json()
  assert.deepEqual([route.id, route.source, route.providers, provider], ['test', 'built_in', ['sim'], 'sim'])
  const reason = 'messages in test mode only go to the simulator'
  assert.deepEqual(
    excluded,
    ['mine', 'filed'].map((id) => ({ id, reason })),
  )
})

test('a tenant sees the providers that it may use, in test mode the simulators, and an operator sees all', async () => {
  await using opened = await open(['two', 'one'])
  const listed = async (call: typeof opened.admin) =>
    (await call('GET', '/v1/providers')).json().items.map(({ name }: { name: string }) => name)
  assert.deepEqual(await listed(opened.admin), ['one', 'two'])
  assert.deepEqual(await listed(opened.tester), ['sim', 'sim-2'])
  assert.deepEqual(await listed(opened.operator), ['one', 'two', 'sim', 'sim-2'])
  const stranger = await opened.api.caller({ tenant_id: 'other' })
  assert.deepEqual(await listed(stranger), ['one', 'two', 'sim', 'sim-2'])
})

const RESERVED = new Map([toProvider('one', {}, ['acme']), toProvider('two'), ...SIMULATED])

test('a reserved provider is named only by routes of its tenants', async () => {
  await using opened = await open(undefined, RESERVED)
  const stranger = await opened.api.caller({ scope: 'admin', tenant_id: 'other' })
  const route = { id: 'mine', channel: 'sms', providers: ['two', 'one'] }
  const refused = await stranger('POST', '/v1/routes', route)
  assert.equal(refused.statusCode, 400)
  assert.deepEqual(refused.json().details, [
    { path: '/providers/1', message: 'is not allowed for this tenant; choose among two, sim, sim-2' },
  ])
  assert.equal((await opened.admin('POST', '/v1/routes', route)).statusCode, 201)
  assert.equal((await opened.tester('POST', '/v1/routes', route)).statusCode, 201)
})

test('a reserved provider is shown only to its tenants and operators, and resolved only for its tenants', async () => {
  await using opened = await open(undefined, RESERVED)
  const stranger = await opened.api.caller({ scope: 'admin', tenant_id: 'other' })
  const listed = async (call: typeof opened.admin) =>
    (await call('GET', '/v1/providers')).json().items.map(({ name }: { name: string }) => name)
  assert.deepEqual(await listed(opened.admin), ['one', 'two', 'sim', 'sim-2'])
  assert.deepEqual(await listed(opened.operator), ['one', 'two', 'sim', 'sim-2'])
  assert.deepEqual(await listed(stranger), ['two', 'sim', 'sim-2'])
  const resolved = async (call: typeof opened.admin) => (await call('POST', '/v1/routes/resolve', RESOLVE)).json()
  assert.equal((await resolved(opened.admin)).provider, 'one')
  const { route, provider, candidates } = await resolved(stranger)
  assert.deepEqual([route.providers, provider, candidates.length], [[{ name: 'two', weight: 0 }], 'two', 1])
})

test('a tenant cannot be given a provider that is reserved for others', async () => {
  await using opened = await open(undefined, RESERVED)
  const refused = await opened.operator('POST', '/v1/tenants', { id: 'other', providers: ['two', 'one'] })
  assert.equal(refused.statusCode, 400)
  assert.deepEqual(refused.json().details, [
    { path: '/providers/1', message: 'is reserved for other tenants; choose among two, sim, sim-2' },
  ])
  assert.equal((await opened.operator('POST', '/v1/tenants', { id: 'acme', providers: ['one'] })).statusCode, 201)
})

test('in test mode the simulator of others is not used', async () => {
  await using opened = await open(undefined, new Map([...LIVE, toProvider('sim', { simulated: true }, ['other'])]))
  const refused = await opened.tester('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })
  assert.deepEqual([refused.statusCode, refused.json().error_code], [422, 'TEST_MODE_UNAVAILABLE'])
  assert.equal((await opened.tester('POST', '/v1/routes/resolve', RESOLVE)).json().route, null)
  const other = await opened.api.caller({ scope: 'admin', tenant_id: 'other', test: true })
  assert.equal((await other('POST', '/v1/routes/resolve', RESOLVE)).json().provider, 'sim')
})

test('without a simulator test mode refuses to send, and live messages are accepted', async () => {
  await using opened = await open(undefined, new Map(LIVE))
  const { api } = opened
  const sms = { ...SMS, idempotency_key: 'k' }
  const [live, tester] = [await api.caller(), await api.caller({ test: true })]
  const refused = await tester('POST', '/v1/sms/send', sms)
  assert.deepEqual([refused.statusCode, refused.json().error_code], [422, 'TEST_MODE_UNAVAILABLE'])
  const batch = await tester('POST', '/v1/messages/batch', { items: [sms] })
  assert.equal(batch.json().results[0].error.error_code, 'TEST_MODE_UNAVAILABLE')
  const code = await tester('POST', '/v1/otp/generate', { to: SMS.to, idempotency_key: 'o' })
  assert.deepEqual([code.statusCode, code.json().error_code], [422, 'TEST_MODE_UNAVAILABLE'])
  assert.equal((await tester('GET', '/v1/messages')).json().items.length, 0)
  assert.equal((await live('POST', '/v1/sms/send', sms)).statusCode, 202)
})
