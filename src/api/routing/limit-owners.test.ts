import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ACCOUNT = '/v1/limits/account/main'
const EACH = '/v1/limits/account/*'

/** Callers of the tenant acme: its admin, and an operator that belongs to another tenant and acts for it. */
async function open() {
  const api = await openFixture(world)
  const [admin, foreign] = [
    await api.caller({ scope: 'admin' }),
    await api.caller({ scope: 'operator', tenant_id: 'ops' }),
  ]
  const operator: Call = (method, url, payload) => foreign(method, url, payload, { 'pombo-tenant': 'acme' })
  const sender = await api.caller()
  const send = async () => {
    const answer = await sender('POST', '/v1/sms/send', { ...SMS, idempotency_key: randomUUID() })
    return answer.statusCode
  }
  const listed = async (call: Call) =>
    (await call('GET', '/v1/limits'))
      .json()
      .items.map(({ key, set_by, limit }: Record<string, unknown>) => [key, set_by, limit])
  return { api, admin, operator, send, listed, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const rule = (limit: number, window_seconds = 60) => ({ limit, window_seconds })

test('an admin lowers a limit of an operator, and both see both', async () => {
  await using opened = await open()
  const { admin, operator, send, listed } = opened
  assert.equal((await operator('PUT', ACCOUNT, rule(2))).json().set_by, 'operator')
  const lowered = await admin('PUT', ACCOUNT, rule(1))
  assert.deepEqual([lowered.statusCode, lowered.json().set_by], [200, 'tenant'])
  for (const call of [admin, operator]) {
    assert.deepEqual(await listed(call), [
      ['main', 'operator', 2],
      ['main', 'tenant', 1],
    ])
    assert.equal((await call('GET', ACCOUNT)).json().limit, 1)
    assert.equal((await call('GET', `${ACCOUNT}?set_by=operator`)).json().limit, 2)
  }
  assert.deepEqual([await send(), await send()], [202, 429])
})

test("deleting the lowered limit restores the operator's, with what has been counted meanwhile", async () => {
  await using opened = await open()
  const { admin, operator, send, listed } = opened
  await operator('PUT', ACCOUNT, rule(2))
  await admin('PUT', ACCOUNT, rule(1))
  assert.deepEqual([await send(), await send()], [202, 429])
  assert.equal((await admin('DELETE', ACCOUNT)).statusCode, 204)
  assert.deepEqual(await listed(admin), [['main', 'operator', 2]])
  assert.deepEqual([await send(), await send()], [202, 429])
})

test('an admin neither raises nor deletes a limit of an operator', async () => {
  await using opened = await open()
  const { admin, operator, send, listed } = opened
  await operator('PUT', ACCOUNT, rule(1))
  for (const higher of [rule(2), rule(1, 30), rule(1_000_000, 31_536_000), rule(2, 120)]) {
    const refused = await admin('PUT', ACCOUNT, higher)
    assert.deepEqual([refused.statusCode, refused.json().error_code], [403, 'FORBIDDEN'])
    assert.match(refused.json().detail, /^An operator allows this account at most 1 messages in 60 seconds;/)
  }
  const removed = await admin('DELETE', ACCOUNT)
  assert.equal(removed.statusCode, 403)
  assert.match(removed.json().detail, /^An operator set this limit of 1 messages in 60 seconds/)
  for (const [method, body] of [
    ['PUT', rule(1)],
    ['DELETE', undefined],
  ] as const) {
    const refused = await admin(method, `${ACCOUNT}?set_by=operator`, body)
    assert.deepEqual([refused.statusCode, refused.json().detail], [403, 'This needs the scope operator'])
  }
  assert.deepEqual(await listed(admin), [['main', 'operator', 1]])
  assert.deepEqual([await send(), await send()], [202, 429])
})

test('a limit that is lower in one respect is accepted, and the stricter one applies', async () => {
  await using opened = await open()
  const { admin, operator, send } = opened
  await operator('PUT', ACCOUNT, rule(2))
  assert.equal((await admin('PUT', ACCOUNT, rule(3, 3600))).statusCode, 200)
  assert.deepEqual([await send(), await send(), await send()], [202, 202, 429])
})

test("an operator's default of the scope cannot be escaped by a limit for a single key", async () => {
  await using opened = await open()
  const { admin, operator, send } = opened
  await operator('PUT', EACH, rule(1))
  assert.equal((await admin('PUT', ACCOUNT, rule(9))).statusCode, 403)
  assert.equal((await admin('PUT', EACH, rule(9))).statusCode, 403)
  assert.deepEqual([await send(), await send()], [202, 429])
})

test("a limit that the operator lowers later holds whatever the tenant's own", async () => {
  await using opened = await open()
  const { admin, operator, send } = opened
  assert.equal((await admin('PUT', ACCOUNT, rule(9))).statusCode, 200)
  await operator('PUT', ACCOUNT, rule(1))
  assert.deepEqual([await send(), await send()], [202, 429])
})

test("an operator may also set and delete the tenant's own limit", async () => {
  await using opened = await open()
  const { admin, operator, listed } = opened
  await operator('PUT', `${ACCOUNT}?set_by=tenant`, rule(5))
  assert.deepEqual(await listed(admin), [['main', 'tenant', 5]])
  await operator('PUT', ACCOUNT, rule(9))
  assert.equal((await operator('DELETE', ACCOUNT)).statusCode, 204)
  assert.deepEqual(await listed(admin), [['main', 'tenant', 5]])
  assert.equal((await operator('DELETE', ACCOUNT)).statusCode, 204)
  assert.equal((await operator('DELETE', ACCOUNT)).statusCode, 404)
  assert.deepEqual(await listed(admin), [])
})

test('the compatibility API cannot raise a limit of an operator either', async () => {
  await using opened = await open()
  const { admin, operator, listed } = opened
  await operator('PUT', '/v1/limits/user/101', rule(1))
  const raise = await admin('POST', '/api/config', { userId: 101, rateLimit: 9, timeWindow: 1 })
  assert.equal(raise.statusCode, 403)
  assert.equal((await admin('POST', '/api/config', { userId: 101, rateLimit: 1, timeWindow: 2 })).statusCode, 200)
  assert.deepEqual(await listed(admin), [
    ['101', 'operator', 1],
    ['101', 'tenant', 1],
  ])
})

test('a limit of the tenant in test mode is named by its live id, and counts test messages only', async () => {
  await using opened = await open()
  const { api, send } = opened
  const admin = await api.caller({ scope: 'admin', test: true })
  const set = await admin('PUT', '/v1/limits/tenant/acme', rule(1))
  assert.deepEqual([set.statusCode, set.json().key], [200, 'acme'])
  assert.equal((await admin('PUT', '/v1/limits/tenant/other', rule(1))).statusCode, 404)
  const sendTest = async () =>
    (await admin('POST', '/v1/sms/send', { ...SMS, idempotency_key: randomUUID() })).statusCode
  assert.deepEqual([await sendTest(), await sendTest(), await send(), await send()], [202, 429, 202, 202])
})
