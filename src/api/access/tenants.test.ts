import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { openFixture } from '../server.fixture.ts'

const FILED: Tenant = { id: 'filed' as TenantId, state: 'active', providers: ['fake' as ProviderName] }
const world = {
  openEngine: (options: Parameters<typeof openMemoryEngine>[0]) =>
    openMemoryEngine({ ...options, filedTenants: [FILED] }),
  ids: openIds(),
}
const NOON = '2030-01-31T12:00:00.000Z'
const ACME = {
  id: 'acme',
  name: 'Acme',
  state: 'active',
  providers: ['fake'],
  senders: ['Acme', '+15005550006', 'acme.example', '*.acme.example', 'Hello@acme.example'],
  quotas: { routes: 10, stored_bytes: 0 },
  retention_days: 30,
  default_locale: 'pt-BR',
}
const EMPTY = { name: null, providers: null, senders: null, quotas: null, retention_days: null, default_locale: null }

async function open(...args: Parameters<typeof openFixture> extends [unknown, ...infer Rest] ? Rest : never) {
  const api = await openFixture(world, ...args)
  const operator = await api.caller({ scope: 'operator' })
  return { api, operator, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

test('creates, gets and lists tenants, those of the file among them', async () => {
  await using opened = await open()
  const { operator } = opened
  const made = await operator('POST', '/v1/tenants', ACME)
  const shown = { ...ACME, source: 'api', created_at: NOON, updated_at: NOON }
  assert.deepEqual([made.statusCode, made.json()], [201, shown])
  assert.deepEqual((await operator('GET', '/v1/tenants/acme')).json(), shown)
  const bare = await operator('POST', '/v1/tenants', { id: 'zoo' })
  const empty = { ...EMPTY, id: 'zoo', state: 'active', source: 'api', created_at: NOON, updated_at: NOON }
  assert.deepEqual(bare.json(), empty)
  const filed = { ...EMPTY, ...FILED, source: 'file', created_at: null, updated_at: null }
  assert.deepEqual((await operator('GET', '/v1/tenants')).json(), { items: [shown, filed, empty], next_cursor: null })
})

test('lists tenants a page at a time', async () => {
  await using opened = await open()
  const { operator } = opened
  for (const id of ['b', 'a', 'z']) await operator('POST', '/v1/tenants', { id })
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { items, next_cursor: next } = (
      await operator('GET', `/v1/tenants?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
    ).json()
    ids.push(...items.map(({ id }: { id: string }) => id))
    if (next === null) break
    cursor = next
  }
  assert.deepEqual(ids, ['a', 'b', 'filed', 'z'])
})

test('a change sets the given fields, and null removes a field', async () => {
  await using opened = await open()
  const { api, operator } = opened
  await operator('POST', '/v1/tenants', ACME)
  api.pass(seconds(5))
  const changes = { name: 'Acme Ltd', providers: null, senders: null, quotas: { limits: 3 }, retention_days: null }
  const changed = await operator('PATCH', '/v1/tenants/acme', changes)
  const after = { ...ACME, ...changes, source: 'api', created_at: NOON, updated_at: '2030-01-31T12:00:05.000Z' }
  assert.deepEqual([changed.statusCode, changed.json()], [200, after])
  assert.deepEqual((await operator('GET', '/v1/tenants/acme')).json(), after)
})

test('refuses a tenant that exists, a change of the file, and what does not exist', async () => {
  await using opened = await open()
  const { operator } = opened
  await operator('POST', '/v1/tenants', { id: 'acme' })
  for (const id of ['acme', 'filed']) {
    const again = await operator('POST', '/v1/tenants', { id })
    assert.deepEqual([again.statusCode, again.json().detail], [409, `A tenant with id ${id} already exists`])
  }
  const filed = await operator('PATCH', '/v1/tenants/filed', { state: 'suspended' })
  assert.equal(filed.statusCode, 409)
  assert.match(filed.json().detail, /operator's file/)
  for (const id of ['nobody', 'acme~test', 'x'.repeat(90)]) {
    assert.equal((await operator('GET', `/v1/tenants/${id}`)).statusCode, 404)
    assert.equal((await operator('PATCH', `/v1/tenants/${id}`, { name: 'x' })).statusCode, 404)
  }
})

const WRONG: readonly [fields: object, path: string, message: RegExp][] = [
  [{ id: 'acme~test' }, '/id', /pattern/],
  [{ id: '' }, '/id', /pattern/],
  [{ state: 'closed' }, '/state', /active, suspended/],
  [{ name: '' }, '/name', /./],
  [{ name: ' ' }, '/name', /printable/],
  [{ name: 'a\0b' }, '/name', /printable/],
  [{ providers: [] }, '/providers', /./],
  [{ providers: ['fake', 'other'] }, '/providers/1', /is not a provider; choose among fake/],
  [{ providers: ['fake', 'fake'] }, '/providers/1', /already listed/],
  [{ senders: ['Acme', 'a@b@c'] }, '/senders/1', /must be a sender id/],
  [{ senders: ['*.'] }, '/senders/0', /must be a sender id/],
  [{ senders: ['Acme', 'ACME'] }, '/senders/1', /already listed/],
  [{ quotas: { routes: -1 } }, '/quotas/routes', /./],
  [{ quotas: { routes: 1.5 } }, '/quotas/routes', /integer/],
  [{ quotas: { cats: 3 } }, '/quotas/cats', /not a known field/],
  [{ retention_days: 2 }, '/retention_days', /./],
  [{ default_locale: 'not a locale' }, '/default_locale', /BCP 47/],
  [{ color: 'red' }, '/color', /not a known field/],
]

for (const [fields, path, message] of WRONG) {
  test(`refuses ${JSON.stringify(fields)}, naming the field`, async () => {
    await using opened = await open()
    const { operator } = opened
    await operator('POST', '/v1/tenants', { id: 'known' })
    const calls = [
      await operator('POST', '/v1/tenants', { id: 'acme', ...fields }),
      ...('id' in fields ? [] : [await operator('PATCH', '/v1/tenants/known', fields)]),
    ]
    for (const answer of calls) {
      assert.equal(answer.statusCode, 400, answer.body)
      const [problem] = answer.json().details
      assert.equal(problem.path, path)
      assert.match(problem.message, message)
    }
  })
}

test('the retention of a tenant is no longer than that of the installation, where that is bounded', async () => {
  await using opened = await open({ retentionPolicy: { days: 90, rules: [] } })
  const { operator } = opened
  assert.equal((await operator('POST', '/v1/tenants', { id: 'short', retention_days: 90 })).statusCode, 201)
  const long = await operator('POST', '/v1/tenants', { id: 'long', retention_days: 91 })
  assert.deepEqual(long.json().details, [
    { path: '/retention_days', message: 'must be at most 90, as long as this installation keeps messages' },
  ])
  await using forever = await open()
  assert.equal((await forever.operator('POST', '/v1/tenants', { id: 'long', retention_days: 91 })).statusCode, 201)
})

test('of two changes at the same time one is refused', async () => {
  const engine = openMemoryEngine({ clock: () => 0 as never })
  const change = async () => undefined
  await using opened = await open({ tenants: { ...engine.tenants, change } })
  await opened.operator('POST', '/v1/tenants', { id: 'acme' })
  const answer = await opened.operator('PATCH', '/v1/tenants/acme', { state: 'suspended' })
  assert.equal(answer.statusCode, 409)
  assert.match(answer.json().detail, /changed at the same time/)
})

test('only operators see or change tenants', async () => {
  await using opened = await open()
  const admin = await opened.api.caller({ scope: 'admin' })
  for (const [method, path, body] of [
    ['GET', '/v1/tenants', undefined],
    ['GET', '/v1/tenants/filed', undefined],
    ['POST', '/v1/tenants', { id: 'acme' }],
    ['PATCH', '/v1/tenants/filed', { state: 'active' }],
  ] as const) {
    const answer = await admin(method, path, body)
    assert.deepEqual([answer.statusCode, answer.json().detail], [403, 'This needs the scope operator'])
  }
})
