/** Every operation of the OpenAPI document, called by everybody. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { SCOPES } from '../../domain/access/scope.ts'
import { ROLES } from '../../domain/access/user.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { Call } from '../server.fixture.ts'
import { expectedStatus, type Kind, MATRIX, ROLE_SCOPES, type Row } from './matrix.fixture.ts'
import {
  anonymousOf,
  type Caller,
  fillTenant,
  type Keys,
  keyOf,
  NEVER,
  openMatrix,
  sessionOf,
} from './matrix-world.fixture.ts'

type Method = Parameters<Call>[0]
type Operation = Readonly<{ id: string; method: Method; path: string; row: Row }>

const api = await openMatrix({ openEngine: openMemoryEngine, ids: openIds() })
after(() => api[Symbol.asyncDispose]())
const OPERATIONS = toOperations((await api.app.inject('/openapi.json')).json())
const GUARDED = OPERATIONS.filter(({ row }) => row.needs !== 'public')
const SCOPED = GUARDED.filter(({ row }) => row.needs !== 'session')

type Document = Readonly<{ paths: Record<string, Record<string, Readonly<{ operationId: string }>>> }>

const idsOf = ({ paths }: Document): readonly string[] =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .toSorted()

function toOperations({ paths }: Document): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => {
      const row = MATRIX[id]
      assert.ok(row, `${id} has no row in matrix.fixture.ts: say who may call it`)
      return { id, method: method.toUpperCase() as Method, path, row }
    }),
  )
}

/** An event stream would not end, so it is asked for from an id that is none. */
const HEADERS = { 'last-event-id': 'none' }

/** By default about a thing that never existed. */
async function ask({ call, tenant }: Caller, { method, path, row }: Operation, keys = NEVER, query = '') {
  const url = path
    .replace('{scope}', 'account')
    .replace('{version}', '1')
    .replace('{n}', '0')
    .replace(/\{\w+\}/, encodeURIComponent(row.of === undefined ? 'x' : keys[row.of]))
  const body = JSON.stringify(row.body ?? {}).replaceAll('{tenant}', tenant)
  return call(method, url + query, method === 'GET' || method === 'DELETE' ? undefined : JSON.parse(body), HEADERS)
}

const asCaller = async (tenant: string, scope: string): Promise<Caller> => ({
  tenant,
  call: await api.caller({ tenant_id: tenant, scope }),
})

function assertStatus({ id }: Operation, answer: LightMyRequestResponse, expected: number): void {
  assert.equal(answer.statusCode, expected, `${id}: ${answer.statusCode} ${answer.body}`)
}

test('the operations are those of docs/openapi.json, and each has a row', async () => {
  const published = JSON.parse(await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))
  const ids = OPERATIONS.map(({ id }) => id).toSorted()
  assert.deepEqual(ids, idsOf(published))
  assert.deepEqual(ids, Object.keys(MATRIX).toSorted())
})

test('without credentials every operation but the public ones is 401', async () => {
  const anonymous = { call: anonymousOf(api), tenant: 'nobody' }
  for (const operation of OPERATIONS) {
    const { row } = operation
    assertStatus(operation, await ask(anonymous, operation), row.needs === 'public' ? row.answers : 401)
  }
})

for (const scope of SCOPES) {
  test(`with the scope ${scope} alone, exactly what it includes is allowed`, async () => {
    const caller = await asCaller(`only-${scope.replace(':', '-')}`, scope)
    for (const operation of OPERATIONS) {
      const { id, row } = operation
      const answer = await ask(caller, operation)
      const expected = expectedStatus(row, [scope])
      assertStatus(operation, answer, expected)
      if (expected !== 403 || !Array.isArray(row.needs)) continue
      assert.equal(answer.json().detail, `This needs the scope ${row.needs.join(' or ')}`, id)
    }
  })
}

for (const role of ROLES) {
  test(`a session of the role ${role} may do what the scopes of the role permit`, async () => {
    const caller = await sessionOf(api, `with-${role}`, role)
    for (const operation of GUARDED) {
      const { row } = operation
      const expected = row.needs === 'session' ? row.answers : expectedStatus(row, ROLE_SCOPES[role])
      assertStatus(operation, await ask(caller, operation), expected)
    }
  })
}

test('a session changes nothing without its CSRF token', async () => {
  const caller = await sessionOf(api, 'forged', 'operator', { csrf: false })
  for (const operation of GUARDED.filter(({ method }) => method !== 'GET')) {
    const answer = await ask(caller, operation)
    assertStatus(operation, answer, 403)
    assert.equal(answer.json().error_code, 'INVALID_CSRF_TOKEN', operation.id)
  }
})

for (const scopes of [['messages:read'], ['admin']] as const) {
  test(`a test key with the scope ${scopes} may do nothing that concerns everybody, people or domains`, async () => {
    const caller = await keyOf(api, 'tested', { scopes, mode: 'test' })
    for (const operation of OPERATIONS) {
      assertStatus(operation, await ask(caller, operation), expectedStatus(operation.row, scopes, 'test'))
    }
  })
}

test('in test mode nobody may do what concerns everybody, whatever the scopes say', async () => {
  const tested = await api.caller({ scope: 'operator', test: true })
  const operator = await api.caller({ scope: 'operator' })
  const inTestMode: Call = (method, url, payload, headers) =>
    operator(method, url, payload, { ...headers, 'pombo-mode': 'test' })
  for (const operation of SCOPED.filter(({ row }) => row.needs.includes('operator' as never))) {
    for (const call of [tested, inTestMode]) {
      const answer = await ask({ call, tenant: 'acme' }, operation)
      assert.deepEqual([answer.statusCode, answer.json().error_code], [403, 'FORBIDDEN'], operation.id)
      assert.match(answer.json().detail, /not possible in test mode/, operation.id)
    }
  }
})

test('a suspended tenant is refused everything, whatever its credentials', async () => {
  const callers = [
    await asCaller('late', 'admin'),
    await keyOf(api, 'late', { scopes: ['admin'] }),
    await keyOf(api, 'late', { scopes: ['admin'], mode: 'test' }),
    await sessionOf(api, 'late', 'admin'),
  ]
  const operator = await api.caller({ scope: 'operator' })
  assert.equal((await operator('POST', '/v1/tenants', { id: 'late', state: 'suspended' })).statusCode, 201)
  for (const caller of callers) {
    for (const operation of SCOPED) {
      const answer = await ask(caller, operation)
      assertStatus(operation, answer, 403)
      assert.equal(answer.json().error_code, 'TENANT_SUSPENDED', operation.id)
    }
  }
})

test('what a tenant has does not exist for another, and is in none of its lists and searches', async () => {
  const [keys, ownKeys] = [await fillTenant(api, 'north'), await fillTenant(api, 'south')]
  const [owner, stranger] = [await asCaller('north', 'admin'), await asCaller('south', 'admin')]
  for (const operation of SCOPED) {
    if (operation.row.of !== undefined) await assertAbsent(stranger, operation, keys, operation.row.of)
    else assertWithout('north', keys, operation, await ask(stranger, operation))
    if (operation.row.lists !== undefined) {
      const query = `?${operation.row.lists.replace('{tenant}', 'north')}`
      assertWithout('north', keys, operation, await ask(stranger, operation, NEVER, query))
      assertWith('north', keys, operation, await ask(owner, operation, NEVER, query))
      assertWith('south', ownKeys, operation, await ask(stranger, operation))
    }
  }
  // It was there all the time.
  for (const operation of SCOPED.filter(({ method, row }) => method === 'GET' && row.of !== undefined)) {
    assertStatus(operation, await ask(owner, operation, keys), 200)
  }
})

/** The answer is the same as for a thing that never existed. */
async function assertAbsent(stranger: Caller, operation: Operation, keys: Keys, kind: Kind): Promise<void> {
  const [found, missing] = [await ask(stranger, operation, keys), await ask(stranger, operation)]
  assertStatus(operation, found, 404)
  assertStatus(operation, missing, 404)
  assert.equal(toWords(found, keys[kind]), toWords(missing, NEVER[kind]), operation.id)
}

/** What a problem says, without what differs from call to call. */
function toWords(answer: LightMyRequestResponse, key: string): string {
  const { http_request_id: _request, trace_id: _trace, ...said } = answer.json()
  return JSON.stringify(said).replaceAll(key, '…')
}

/** Whether an answer names the tenant or one of its things. */
const names = (tenant: string, keys: Keys, { body }: LightMyRequestResponse): boolean =>
  [tenant, ...Object.values(keys)].some((name) => body.includes(name))

function assertWithout(tenant: string, keys: Keys, { id }: Operation, answer: LightMyRequestResponse): void {
  assert.ok(!names(tenant, keys, answer), `${id} shows what ${tenant} has: ${answer.body}`)
}

function assertWith(tenant: string, keys: Keys, { id }: Operation, answer: LightMyRequestResponse): void {
  assert.ok(names(tenant, keys, answer), `${id} does not show what ${tenant} has: ${answer.body}`)
}
