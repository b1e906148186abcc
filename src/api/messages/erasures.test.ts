import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { runErasures } from '../../flows/admin/run-erasures.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

const send = async (call: Call, key: string, more: object = {}): Promise<string> =>
  (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: key, ...more })).json().request_id

async function work({ deps, project }: Awaited<ReturnType<typeof openFixture>>): Promise<void> {
  await project()
  const running = { facts: { cleaned: [], remains: [] }, rest: async () => undefined }
  const quiet = { onCompleted: () => undefined, onFault: (error: unknown) => assert.fail(String(error)) }
  await runErasures({ ...deps, ...running, ...quiet }, new AbortController().signal)
}

test('starts, shows and lists an erasure, which ends with a receipt', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  await send(call, 'a')
  await send(call, 'b')
  const other = await send(call, 'c', { to: '+15005550101' })
  const begun = await call('POST', '/v1/erasures', { to: SMS.to })
  const { id, status, erased, receipt } = begun.json()
  assert.deepEqual([begun.statusCode, status, erased, receipt], [202, 'running', 0, null])
  assert.equal(begun.headers['location'], `/v1/erasures/${id}`)
  assert.equal((await call('POST', '/v1/erasures', { to: SMS.to })).json().id, id)

  await work(api)
  const done = (await call('GET', `/v1/erasures/${id}`)).json()
  assert.deepEqual([done.status, done.erased, done.failed], ['completed', 2, 0])
  assert.deepEqual(done.receipt.receipt.messages, { found: 2, erased: 2, failed: 0 })
  assert.equal((await call('GET', `/v1/messages/${other}`)).json().erased, false)
  const second = (await call('POST', '/v1/erasures', { to: '+15005550101' })).json()
  const listed = (await call('GET', '/v1/erasures')).json()
  assert.deepEqual(listed.items.map((item: { id: string }) => item.id).toSorted(), [id, second.id].toSorted())
})

test('an idempotency key returns the same erasure, for one recipient only', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const headers = { 'idempotency-key': 'erase-ana' }
  const first = (await call('POST', '/v1/erasures', { to: SMS.to }, headers)).json()
  await work(api)
  assert.equal((await call('POST', '/v1/erasures', { to: SMS.to }, headers)).json().id, first.id)
  const other = await call('POST', '/v1/erasures', { to: '+15005550101' }, headers)
  assert.deepEqual([other.statusCode, other.json().error_code], [422, 'IDEMPOTENCY_MISMATCH'])
  const bad = await call('POST', '/v1/erasures', { to: SMS.to }, { 'idempotency-key': '""' })
  assert.equal(bad.statusCode, 400)
})

test('verifies a receipt, and its recipient', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const { id } = (await call('POST', '/v1/erasures', { to: SMS.to })).json()
  await work(api)
  const { receipt: signed } = (await call('GET', `/v1/erasures/${id}`)).json()
  const verify = async (body: object) => (await call('POST', '/v1/erasures/verify', body)).json()
  assert.deepEqual(await verify(signed), { valid: true, recipient_matches: null })
  assert.deepEqual(await verify({ ...signed, to: SMS.to }), { valid: true, recipient_matches: true })
  assert.deepEqual(await verify({ ...signed, to: '+15005550101' }), { valid: true, recipient_matches: false })
  const changed = { ...signed, receipt: { ...signed.receipt, tenant_id: 'another' } }
  assert.equal((await verify(changed)).valid, false)
  assert.equal((await call('POST', '/v1/erasures/verify', { receipt: {} })).statusCode, 400)
  const { algorithm, jwk } = (await call('GET', '/v1/erasures/public-key')).json()
  assert.deepEqual([algorithm, jwk.x], ['Ed25519', 'a key'])
})

test('does not find an erasure of another tenant, and refuses an invalid recipient', async () => {
  await using api = await openFixture(world)
  const [call, stranger] = [await api.caller(), await api.caller({ tenant_id: 'south' })]
  const { id } = (await call('POST', '/v1/erasures', { to: SMS.to })).json()
  assert.equal((await stranger('GET', `/v1/erasures/${id}`)).statusCode, 404)
  assert.deepEqual((await stranger('GET', '/v1/erasures')).json().items, [])
  assert.notEqual((await stranger('POST', '/v1/erasures', { to: SMS.to })).json().id, id)
  assert.equal((await call('GET', '/v1/erasures/nothing')).statusCode, 404)
  assert.equal((await call('POST', '/v1/erasures', { to: 'nobody' })).statusCode, 400)
  const reader = await api.caller({ scope: 'messages:read' })
  assert.equal((await reader('POST', '/v1/erasures', { to: SMS.to })).statusCode, 403)
})
