import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ApiKeyId } from '../../domain/access/api-key.ts'
import { DEFAULT_QUOTAS } from '../../domain/access/quotas.ts'
import type { TenantId } from '../../domain/ids.ts'
import { openApiKeySecrets } from '../../engines/crypto/api-key-secrets.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { ROOM, someApiKey } from '../../ports/api-keys.contract.ts'
import { type Call, SMS } from '../server.fixture.ts'
import { type Created, createKey, KEYS, NOON, openKeys, shownOf, sidOf } from './api-keys.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const open = () => openKeys(world)
const DAY = seconds(86_400)
const ACME = 'acme' as TenantId

const listed = async (call: Call): Promise<readonly string[]> =>
  (await call('GET', KEYS)).json().items.map(({ id }: Created) => id)

describe('creating', () => {
  test('shows the key once, and stores only its hash', async () => {
    await using opened = await openKeys(world, { apiKeySecrets: openApiKeySecrets(new Uint8Array(32)) })
    const made = await opened.admin('POST', KEYS, { name: 'Shop', scopes: ['sms:send'] })
    const created: Created = made.json()
    assert.equal(made.headers['cache-control'], 'no-store')
    assert.match(created.key, /^pk_live_[0-9a-z]{12}_[0-9A-Za-z]{40}$/)
    assert.equal(created.prefix, `pk_live_${created.id}_…`)
    assert.deepEqual(created, { ...shownOf(created), key: created.key })

    const found = (await opened.admin('GET', `${KEYS}/${created.id}`)).json()
    assert.deepEqual(found, shownOf(created))
    assert.deepEqual((await opened.admin('GET', KEYS)).json(), { items: [found], next_cursor: null })
    const secret = created.key.slice(-40)
    assert.equal(JSON.stringify(opened.api.deps.apiKeys.find(created.id as ApiKeyId)).includes(secret), false)
  })

  test('keeps every setting, and normalises networks', async () => {
    await using opened = await open()
    const wanted = { name: 'Olá 👍', scopes: ['otp', 'messages:read'], mode: 'test', account_id: 'shop' }
    const created = await opened.create({ ...wanted, networks: ['203.0.113.7', '10.0.0.0/8'], expires_in_days: 2 })
    const { id, prefix, key } = created
    assert.deepEqual(created, {
      ...shownOf(created),
      ...wanted,
      twilio_account_sid: sidOf('shop', 'acme~test'),
      networks: ['203.0.113.7/32', '10.0.0.0/8'],
      expires_at: '2030-02-02T12:00:00.000Z',
      key,
    })
    assert.equal(prefix, `pk_test_${id}_…`)
    const at = '2030-03-01T00:00:00.000Z'
    assert.equal((await opened.create({ expires_at: at })).expires_at, at)
  })

  test('refuses what is not valid, and says why', async () => {
    await using opened = await open()
    const good = { name: 'Shop', scopes: ['sms:send'] }
    for (const [fields, path] of [
      [{ name: '' }, '/name'],
      [{ name: 'a\u0000b' }, '/name'],
      [{ name: 'x'.repeat(101) }, '/name'],
      [{ scopes: [] }, '/scopes'],
      [{ scopes: ['sms:read'] }, '/scopes/0'],
      [{ scopes: ['otp', 'otp'] }, '/scopes'],
      [{ mode: 'both' }, '/mode'],
      [{ account_id: 'a b' }, '/account_id'],
      [{ networks: [] }, '/networks'],
      [{ networks: ['10.0.0.0/8', '10.0.0.0/33'] }, '/networks/1'],
      [{ networks: ['localhost'] }, '/networks/0'],
      [{ expires_at: 'tomorrow' }, '/expires_at'],
      [{ expires_at: NOON }, '/expires_at'],
      [{ expires_at: '2031-01-01T00:00:00Z', expires_in_days: 1 }, '/expires_in_days'],
      [{ expires_in_days: 0 }, '/expires_in_days'],
      [{ key: 'pk_live_x' }, '/key'],
    ] as const) {
      const answer = await opened.admin('POST', KEYS, { ...good, ...fields })
      assert.equal(answer.statusCode, 400, JSON.stringify(fields))
      assert.deepEqual([answer.json().details[0].path], [path])
    }
    assert.deepEqual(await listed(opened.admin), [])
  })

  test('needs admin, and nobody issues a scope they do not have', async () => {
    await using opened = await open()
    const { api, admin, create } = opened
    const { id } = await create()
    for (const call of [await api.caller(), api.callerWith((await create()).key)]) {
      for (const [method, path, body] of [
        ['GET', KEYS, undefined],
        ['GET', `${KEYS}/${id}`, undefined],
        ['POST', KEYS, { name: 'x', scopes: ['sms:send'] }],
        ['POST', `${KEYS}/${id}/rotate`, {}],
        ['DELETE', `${KEYS}/${id}`, undefined],
      ] as const) {
        assert.equal((await call(method, path, body)).statusCode, 403, `${method} ${path}`)
      }
    }
    const operator = await api.caller({ scope: 'operator' })
    const refused = await admin('POST', KEYS, { name: 'x', scopes: ['admin', 'operator'] })
    assert.deepEqual([refused.statusCode, refused.json().detail], [403, 'This needs the scope operator'])
    const powerful = await createKey(operator, { scopes: ['operator'] })
    assert.equal((await admin('POST', `${KEYS}/${powerful.id}/rotate`, {})).statusCode, 403)
    assert.equal((await operator('POST', `${KEYS}/${powerful.id}/rotate`, {})).statusCode, 201)
    assert.equal((await admin('DELETE', `${KEYS}/${powerful.id}`)).statusCode, 204, 'ending a key takes no scope away')
  })

  test('an operator creates a key for another tenant', async () => {
    await using opened = await open()
    const { api } = opened
    const operator = await api.caller({ scope: 'operator' })
    const body = { name: 'Shop', scopes: ['messages:read'] }
    const made = await operator('POST', KEYS, body, { 'pombo-tenant': 'globex' })
    assert.equal(made.statusCode, 201)
    assert.deepEqual(await listed(await api.caller({ scope: 'admin', tenant_id: 'globex' })), [made.json().id])
    assert.deepEqual(await listed(operator), [])
  })

  test('keys belong to one tenant: no other can see or end them', async () => {
    await using opened = await open()
    const { api, create } = opened
    const { id } = await create()
    const stranger = await api.caller({ scope: 'admin', tenant_id: 'globex' })
    assert.deepEqual(await listed(stranger), [])
    for (const [method, path] of [
      ['GET', `${KEYS}/${id}`],
      ['DELETE', `${KEYS}/${id}`],
      ['POST', `${KEYS}/${id}/rotate`],
    ] as const) {
      const body = method === 'POST' ? {} : undefined
      assert.equal((await stranger(method, path, body)).statusCode, 404)
      assert.equal((await stranger(method, path.replace(id, '000000000000'), body)).statusCode, 404)
    }
    assert.deepEqual(await listed(opened.admin), [id])
  })

  test('an id that is a whole key is not repeated in the answer', async () => {
    await using opened = await open()
    const { key } = await opened.create()
    const answer = await opened.admin('GET', `${KEYS}/${key}`)
    assert.equal(answer.statusCode, 404)
    assert.equal(answer.body.includes(key.slice(-40)), false)
  })
})

describe('the number of keys', () => {
  test('is bounded by mode, and a rotation still works at the bound', async () => {
    await using opened = await open()
    const { api, admin, create } = opened
    const { apiKeys } = api.deps
    for (let count = 0; count < 100; count += 1) {
      await apiKeys.add(someApiKey({ tenantId: ACME, createdAt: api.clock() }), ROOM)
    }
    const refused = await admin('POST', KEYS, { name: 'x', scopes: ['otp'] })
    assert.deepEqual([refused.statusCode, refused.json().error_code], [409, 'QUOTA_EXCEEDED'])
    assert.match(refused.json().detail, /The quota of 100 live API keys is reached, with 100 in use/)
    await create({ mode: 'test' })
    const [{ id } = { id: '' }] = apiKeys.list(ACME).filter(({ mode }) => mode === 'live')
    assert.equal((await admin('POST', `${KEYS}/${id}/rotate`, {})).statusCode, 201)
    assert.equal((await admin('DELETE', `${KEYS}/${id}`)).statusCode, 204)
    assert.equal((await admin('POST', KEYS, { name: 'x', scopes: ['otp'] })).statusCode, 409)
    api.pass(DAY)
    const [{ id: other } = { id: '' }] = apiKeys.list(ACME).filter(({ revokedAt }) => revokedAt === undefined)
    assert.equal((await admin('DELETE', `${KEYS}/${other}`)).statusCode, 204)
    await create()
  })

  test('is bounded by the quota of the tenant', async () => {
    const quotasOf = () => ({ ...DEFAULT_QUOTAS, apiKeys: 1 })
    await using opened = await openKeys(world, { quotasOf })
    const { id } = await opened.create()
    assert.equal((await opened.admin('POST', KEYS, { name: 'x', scopes: ['otp'] })).statusCode, 409)
    assert.equal((await opened.admin('POST', `${KEYS}/${id}/rotate`, {})).statusCode, 201)
  })

  test('is bounded with those that have ended', async () => {
    await using opened = await open()
    const { api, admin } = opened
    const ended = { tenantId: ACME, createdAt: api.clock(), revokedAt: api.clock() }
    for (let count = 0; count < 1_000; count += 1) await api.deps.apiKeys.add(someApiKey(ended), ROOM)
    const refused = await admin('POST', KEYS, { name: 'x', scopes: ['otp'] })
    assert.equal(refused.statusCode, 409)
    assert.match(refused.json().detail, /maximum of 1000 live API keys is reached, with those that ended/)
  })

  test('does not make the list long: it is paged, newest first', async () => {
    await using opened = await open()
    const { api, admin, create } = opened
    const created: string[] = []
    for (let count = 0; count < 5; count += 1) {
      created.unshift((await create()).id)
      if (count % 2 === 1) api.pass(seconds(1))
    }
    const page = async (cursor?: string) =>
      (await admin('GET', `${KEYS}?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`)).json()
    const first = await page()
    const second = await page(first.next_cursor)
    await opened.api.deps.apiKeys.end(ACME, second.items[1].id, { kind: 'revoked', at: 0 as never })
    await opened.api.deps.apiKeys.forget(0 as never)
    const third = await page(second.next_cursor)
    const ids = [first, second, third].flatMap(({ items }) => items.map(({ id }: Created) => id))
    assert.deepEqual(ids.toSorted(), created.toSorted())
    assert.deepEqual([third.items.length, third.next_cursor], [1, null])
    for (const cursor of ['x', '1.x', `${first.next_cursor}x`]) {
      assert.equal((await admin('GET', `${KEYS}?cursor=${cursor}`)).statusCode, 400)
    }
  })
})

test('a revoked key stays listed for 30 days, and revoking it again changes nothing', async () => {
  await using opened = await open()
  const { api, admin, create } = opened
  const created = await create()
  assert.equal((await admin('DELETE', `${KEYS}/${created.id}`)).statusCode, 204)
  const revoked = { ...shownOf(created), status: 'revoked', revoked_at: NOON }
  assert.deepEqual((await admin('GET', `${KEYS}/${created.id}`)).json(), revoked)
  api.pass(DAY)
  assert.equal((await admin('DELETE', `${KEYS}/${created.id}`)).statusCode, 204)
  assert.deepEqual((await admin('GET', KEYS)).json().items, [revoked])
  for (let day = 1; day < 30; day += 1) api.pass(DAY)
  assert.deepEqual(await listed(admin), [])
  assert.equal((await admin('GET', `${KEYS}/${created.id}`)).statusCode, 404)
})

test('in test mode a caller manages test keys only', async () => {
  await using opened = await open()
  const { api, admin, create } = opened
  const live = await create()
  const test = await create({ mode: 'test', scopes: ['admin'] })
  for (const call of [api.callerWith(test.key), await api.caller({ scope: 'admin', test: true })]) {
    assert.deepEqual((await listed(call)).includes(live.id), false)
    assert.ok((await listed(call)).includes(test.id))
    for (const method of ['GET', 'DELETE'] as const) {
      assert.equal((await call(method, `${KEYS}/${live.id}`)).statusCode, 404)
    }
    assert.equal((await createKey(call)).key.startsWith('pk_test_'), true)
    const refused = await call('POST', KEYS, { name: 'x', scopes: ['otp'], mode: 'live' })
    assert.deepEqual([refused.statusCode, refused.json().error_code], [403, 'FORBIDDEN'])
  }
  assert.equal((await listed(admin)).length, 4)
  const operator = await api.caller({ scope: 'operator' })
  const answer = await operator('POST', KEYS, { name: 'x', scopes: ['operator'], mode: 'test' })
  assert.deepEqual([answer.statusCode, answer.json().details[0].path], [400, '/scopes'])
})

test('every change is in the audit log, without the key', async () => {
  await using opened = await open()
  const { api, admin, create } = opened
  const { id, key } = await create()
  const rotated = (await admin('POST', `${KEYS}/${id}/rotate`, {})).json()
  await admin('DELETE', `${KEYS}/${id}`)
  const entries = await api.deps.auditLog.list({ tenantId: ACME, limit: 10 })
  assert.deepEqual(
    entries.map(({ action, target }) => [action, target.kind, target.id]),
    ['revoked', 'rotated', 'created'].map((verb) => [`api_key.${verb}`, 'api_key', id]),
  )
  assert.equal(entries[1]?.after?.['successor'], rotated.id)
  for (const text of [key, rotated.key]) assert.equal(JSON.stringify(entries).includes(text.slice(-40)), false)
})

test('keys cannot be managed while they are not loaded, nor while the store is down', async () => {
  await using opened = await open()
  const { apiKeys } = opened.api.deps
  await using starting = await openKeys(world, { apiKeys: { ...apiKeys, isLoaded: () => false } })
  assert.equal((await starting.admin('GET', KEYS)).statusCode, 503)
  const { key } = await opened.create()
  const answer = await starting.api.callerWith(key)('POST', '/v1/sms/send', SMS)
  assert.deepEqual([answer.statusCode, answer.json().error_code], [503, 'UNAVAILABLE'])
})
