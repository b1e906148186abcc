/** Every operation of the OpenAPI document, called by everybody. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { includes, SCOPES, type Scope } from '../../domain/access/scope.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'
import { type Kind, MATRIX, type Row } from './matrix.fixture.ts'

type Method = Parameters<Call>[0]
type Operation = Readonly<{ id: string; method: Method; path: string; row: Row }>

const api = await openFixture({ openEngine: openMemoryEngine, ids: openIds() })
after(() => api[Symbol.asyncDispose]())
const OPERATIONS = await readOperations()
const GUARDED = OPERATIONS.filter(({ row }) => row.needs !== 'public')
const SCOPED = GUARDED.filter(({ row }) => row.needs !== 'session')

async function readOperations(): Promise<readonly Operation[]> {
  const { paths } = (await api.app.inject('/openapi.json')).json<{ paths: Record<string, Record<string, object>> }>()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id = '' }]: [string, { operationId?: string }]) => {
      const row = MATRIX[id]
      assert.ok(row, `${id} has no row in matrix.fixture.ts: say who may call it`)
      return { id, method: method.toUpperCase() as Method, path, row }
    }),
  )
}

/** An event stream would not end, so it is asked for from an id that is none. */
const HEADERS = { 'last-event-id': 'none' }

/** With the key of a thing in the path; otherwise that of one that never existed. */
async function ask(call: Call, { method, path, row }: Operation, key?: string) {
  const url = path
    .replace('{scope}', 'account')
    .replace('{version}', '1')
    .replace(/\{\w+\}/, encodeURIComponent(key ?? (row.of === undefined ? 'x' : NEVER[row.of])))
  return call(method, url, method === 'GET' || method === 'DELETE' ? undefined : (row.body ?? {}), HEADERS)
}

const NOBODY = '00000000-0000-7000-8000-000000000000'
const NEVER: Readonly<Record<Kind, string>> = {
  sms: NOBODY,
  email: NOBODY,
  endpoint: 'never',
  route: 'never',
  limit: 'never',
  recipient: NOBODY,
  suppression: 'never@example.com',
  template: 'never',
  domain: 'never.example',
  apiKey: '000000000000',
  user: NOBODY,
  erasure: NOBODY,
}

const isRefused = (status: number): boolean => status === 401 || status === 403

test('every row of the matrix is an operation', () => {
  const ids = OPERATIONS.map(({ id }) => id)
  assert.deepEqual(
    Object.keys(MATRIX).filter((id) => !ids.includes(id)),
    [],
  )
})

test('without credentials every operation but the public ones is 401', async () => {
  const anonymous: Call = (method, url, payload, headers) =>
    api.app.inject({ method, url, ...(payload !== undefined && { payload }), headers: { ...headers } })
  for (const operation of GUARDED) {
    assert.equal((await ask(anonymous, operation)).statusCode, 401, operation.id)
  }
})

for (const scope of SCOPES) {
  test(`with the scope ${scope} alone, exactly what it includes is allowed`, async () => {
    const call = await api.caller({ tenant_id: `only-${scope.replace(':', '-')}`, scope })
    for (const operation of SCOPED) {
      const answer = await ask(call, operation)
      const needs = operation.row.needs as readonly Scope[]
      const mayCall = needs.some((need) => includes(new Set([scope]), need))
      assert.equal(isRefused(answer.statusCode), !mayCall, `${operation.id}: ${answer.statusCode} ${answer.body}`)
      if (!mayCall) assert.match(answer.json().detail, new RegExp(`scope ${needs.join(' or ')}`), operation.id)
    }
  })
}

test('what only people may do is refused to tokens', async () => {
  const call = await api.caller({ scope: 'operator' })
  for (const operation of GUARDED.filter(({ row }) => row.needs === 'session')) {
    assert.equal((await ask(call, operation)).statusCode, 403, operation.id)
  }
})

test('a test key may do what its scopes say, except what concerns everybody or proves who owns a domain', async () => {
  const admin = await api.caller({ tenant_id: 'tested', scope: 'admin' })
  const created = await admin('POST', '/v1/api-keys', { name: 'Tests', scopes: ['admin'], mode: 'test' })
  const call = api.callerWith(created.json().key)
  for (const operation of SCOPED) {
    const { row } = operation
    const answer = await ask(call, operation)
    const mayCall = row.live === undefined && !row.needs.includes('operator' as never)
    assert.equal(isRefused(answer.statusCode), !mayCall, `${operation.id}: ${answer.statusCode} ${answer.body}`)
  }
})

test('a suspended tenant is refused everything', async () => {
  const operator = await api.caller({ scope: 'operator' })
  assert.equal((await operator('POST', '/v1/tenants', { id: 'late', state: 'suspended' })).statusCode, 201)
  const call = await api.caller({ tenant_id: 'late', scope: 'admin' })
  for (const operation of SCOPED) {
    const answer = await ask(call, operation)
    assert.equal(answer.statusCode, 403, operation.id)
    assert.equal(answer.json().error_code, 'TENANT_SUSPENDED', operation.id)
  }
})

test("another tenant's things do not exist", async () => {
  const keys = await fillTenant(await api.caller({ tenant_id: 'north', scope: 'admin' }))
  const stranger = await api.caller({ tenant_id: 'south', scope: 'admin' })
  for (const operation of SCOPED) {
    const { of: kind } = operation.row
    if (kind === undefined) continue
    const [theirs, never] = [keys[kind], NEVER[kind]]
    const [found, missing] = [await ask(stranger, operation, theirs), await ask(stranger, operation)]
    assert.deepEqual(
      [found.statusCode, toWords(found.json(), theirs)],
      [missing.statusCode, toWords(missing.json(), never)],
      operation.id,
    )
    assert.ok([400, 404].includes(found.statusCode), `${operation.id}: ${found.statusCode}`)
  }
  // They were there all the time.
  const owner = await api.caller({ tenant_id: 'north', scope: 'admin' })
  for (const operation of SCOPED.filter(({ method, row }) => method === 'GET' && row.of !== undefined)) {
    const answer = await ask(owner, operation, keys[operation.row.of as Kind])
    assert.notEqual(answer.statusCode, 404, `${operation.id}: ${answer.body}`)
  }
})

/** What a problem says, without what differs from call to call. */
function toWords(problem: Readonly<Record<string, unknown>>, key: string): string {
  const { http_request_id: _request, trace_id: _trace, ...said } = problem
  return JSON.stringify(said).replaceAll(key, '…')
}

/** One thing of every kind. */
async function fillTenant(call: Call): Promise<Readonly<Record<Kind, string>>> {
  const post = async (url: string, body: object, read: string): Promise<string> => {
    const answer = await call('POST', url, body)
    assert.ok(answer.statusCode < 300, `${url}: ${answer.body}`)
    return String(
      read.split('/').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], answer.json()),
    )
  }
  const mail = { to: 'ana@example.com', subject: 'Hello', html: '<p>Hello</p>' }
  await call('PUT', '/v1/limits/account/main', { limit: 1000, window_seconds: 60 })
  await call('PUT', '/v1/suppressions/ben@example.com', { reason: 'manual' })
  return {
    sms: await post('/v1/sms/send', { ...SMS, idempotency_key: 'sms' }, 'id'),
    email: await post('/v1/email/send', { ...mail, idempotency_key: 'email' }, 'id'),
    endpoint: await post('/v1/endpoints', { url: 'https://acme.example/hooks' }, 'id'),
    route: await post('/v1/routes', { id: 'own', channel: 'sms', providers: ['fake'] }, 'id'),
    limit: 'main',
    recipient: await post('/v1/recipients', { external_id: 'user-1', phone: '+5511987654321' }, 'id'),
    suppression: 'ben@example.com',
    template: await post('/v1/templates', { name: 'hello', channel: 'sms', locale: 'en', text: 'Hello' }, 'name'),
    domain: await post('/v1/domains', { domain: 'north.example' }, 'domain'),
    apiKey: await post('/v1/api-keys', { name: 'Shop', scopes: ['sms:send'] }, 'id'),
    user: await post('/v1/users', { email: 'cleo@example.com', role: 'viewer' }, 'user/id'),
    erasure: await post('/v1/erasures', { to: '+15005550100' }, 'id'),
  }
}
