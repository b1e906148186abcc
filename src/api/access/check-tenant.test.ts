import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import type { TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const toTenant = (id: string, state: Tenant['state'] = 'active'): Tenant => ({ id: id as TenantId, state })
const DESCRIBED = [toTenant('acme'), toTenant('late', 'suspended')]
const world = {
  openEngine: (options: Parameters<typeof openMemoryEngine>[0]) =>
    openMemoryEngine({ ...options, filedTenants: DESCRIBED }),
  ids: openIds(),
}

type Fixture = Awaited<ReturnType<typeof openFixture>>

/** The status and error code of a call with these claims and headers. */
async function ask(api: Fixture, claims: object, headers = {}, path = '/v1/messages') {
  const call = await api.caller(claims as Record<string, unknown>)
  const answer = await call('GET', path, undefined, headers)
  return [answer.statusCode, answer.json().error_code]
}

const SUSPENDED = [403, 'TENANT_SUSPENDED']
const UNKNOWN = [403, 'TENANT_UNKNOWN']
const SERVED = [200, undefined]

test('by default every tenant is served but those that are suspended, also in test mode', async () => {
  await using api = await openFixture(world)
  assert.deepEqual(await ask(api, {}), SERVED)
  assert.deepEqual(await ask(api, { tenant_id: 'nobody' }), SERVED)
  for (const claims of [{}, { test: true }, { scope: 'admin' }]) {
    assert.deepEqual(await ask(api, { tenant_id: 'late', ...claims }), SUSPENDED)
  }
  assert.deepEqual(await ask(api, { tenant_id: 'late' }, { 'pombo-mode': 'test' }), SUSPENDED)
})

test('with `known` only tenants that an operator has described are served', async () => {
  await using api = await openFixture(world, {}, 'known')
  assert.deepEqual(await ask(api, {}), SERVED)
  assert.deepEqual(await ask(api, { test: true }), SERVED)
  assert.deepEqual(await ask(api, { tenant_id: 'late' }), SUSPENDED)
  for (const claims of [{}, { test: true }, { scope: 'admin' }]) {
    assert.deepEqual(await ask(api, { tenant_id: 'nobody', ...claims }), UNKNOWN)
  }
  const operator = await api.caller({ scope: 'operator' })
  assert.equal((await operator('POST', '/v1/tenants', { id: 'nobody' })).statusCode, 201)
  assert.deepEqual(await ask(api, { tenant_id: 'nobody' }), SERVED)
})

test('an operator is not locked out by the state of its own tenant, and looks after suspended ones', async () => {
  await using api = await openFixture(world, {}, 'known')
  for (const tenant_id of ['nobody', 'late']) {
    assert.deepEqual(await ask(api, { tenant_id, scope: 'operator' }, {}, '/v1/tenants'), SERVED)
  }
  assert.deepEqual(await ask(api, { scope: 'operator' }, { 'pombo-tenant': 'late' }), SERVED)
  assert.deepEqual(await ask(api, { scope: 'operator' }, { 'pombo-tenant': 'amce' }), UNKNOWN)
  await using open = await openFixture(world)
  assert.deepEqual(await ask(open, { scope: 'operator' }, { 'pombo-tenant': 'amce' }), SERVED)
})

test('not even an operator sends for a suspended tenant', async () => {
  await using api = await openFixture(world)
  const operator = await api.caller({ scope: 'operator' })
  const sms = { ...SMS, idempotency_key: 'k' }
  const headers = { 'pombo-tenant': 'late' }
  const refused = await operator('POST', '/v1/sms/send', sms, headers)
  assert.deepEqual([refused.statusCode, refused.json().error_code], SUSPENDED)
  const batch = await operator('POST', '/v1/messages/batch', { items: [sms] }, headers)
  assert.equal(batch.json().results[0].error.error_code, 'TENANT_SUSPENDED')
  assert.equal((await operator('GET', '/v1/messages', undefined, headers)).json().items.length, 0)
})

test('until the tenants are loaded, `known` answers 503, `any` serves, and tenants of the file are known', async () => {
  const { tenants } = openMemoryEngine({ clock: () => 0 as never, filedTenants: DESCRIBED })
  const unloaded = { tenants: { ...tenants, isLoaded: () => false } }
  await using api = await openFixture(world, unloaded, 'known')
  assert.deepEqual(await ask(api, { tenant_id: 'nobody' }), [503, 'UNAVAILABLE'])
  assert.deepEqual(await ask(api, {}), SERVED)
  assert.deepEqual(await ask(api, { tenant_id: 'late' }), SUSPENDED)
  assert.deepEqual(await ask(api, { scope: 'operator' }, {}, '/v1/tenants'), [503, 'UNAVAILABLE'])
  await using open = await openFixture(world, unloaded)
  assert.deepEqual(await ask(open, { tenant_id: 'nobody' }), SERVED)
})
