import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { AlertId, ProviderName, TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { World } from '../server.fixture.ts'
import { HOOK, openEndpoints } from './endpoints.fixture.ts'

const world: World = { openEngine: openMemoryEngine, ids: openIds() }
const OPERATORS = { ...HOOK, id: 'pager', events: ['provider.breaker_opened', 'tenant.quota_warning'] }

async function open() {
  const opened = await openEndpoints(world)
  const operator = await opened.api.caller({ scope: 'operator' })
  return { ...opened, operator, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

test('only operators subscribe to events of the installation', async () => {
  await using opened = await open()
  const { admin, operator } = opened
  const refused = await admin('POST', '/v1/endpoints', OPERATORS)
  assert.deepEqual([refused.statusCode, refused.json().error_code], [403, 'FORBIDDEN'])
  assert.equal((await operator('POST', '/v1/endpoints', OPERATORS)).statusCode, 201)
  await opened.make()
  const { events } = OPERATORS
  assert.equal((await admin('PATCH', '/v1/endpoints/orders', { events })).statusCode, 403)
  assert.equal((await admin('PATCH', '/v1/endpoints/orders', { events: ['quota.warning'] })).statusCode, 200)
})

test('nobody does in test mode, where nothing is apart', async () => {
  await using opened = await open()
  const tester = await opened.api.caller({ scope: 'operator', test: true })
  assert.equal((await tester('POST', '/v1/endpoints', OPERATORS)).statusCode, 403)
})

test('an endpoint of operators is theirs: admins neither redirect it nor use its secret', async () => {
  await using opened = await open()
  const { admin, operator } = opened
  await operator('POST', '/v1/endpoints', OPERATORS)
  const calls = [
    ['PATCH', '/v1/endpoints/pager', { url: 'https://elsewhere.example' }],
    ['PATCH', '/v1/endpoints/pager', { events: [] }],
    ['DELETE', '/v1/endpoints/pager', undefined],
    ['GET', '/v1/endpoints/pager/secret', undefined],
    ['POST', '/v1/endpoints/pager/rotate', {}],
  ] as const
  for (const [method, path, body] of calls) {
    assert.equal((await admin(method, path, body)).statusCode, 403, `${method} ${path}`)
  }
  for (const [method, path, body] of calls.toReversed()) {
    const { statusCode } = await operator(method, path, body)
    assert.ok(statusCode < 300 || method === 'PATCH', `${method} ${path}: ${statusCode}`)
  }
})

test('deliveries of alerts are listed by their type, and replayed', async () => {
  await using opened = await open()
  const { admin, api } = opened
  await opened.make()
  const { webhookDeliveries } = api.deps
  const quota = { tenantId: 'acme' as TenantId, quota: 'storedBytes', limit: 10, used: 9 } as const
  const id = '0c7b1f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as AlertId
  await webhookDeliveries.enqueueAlert({ id, kind: 'quota.warning', at: api.clock(), ...quota })
  const openedAt = api.clock()
  const provider = 'acme' as ProviderName
  await webhookDeliveries.enqueueAlert({ id, kind: 'provider.breaker_opened', at: openedAt, openedAt, provider })
  const { items } = (await admin('GET', '/v1/endpoints/orders/deliveries')).json()
  assert.deepEqual(
    items.map((item: Record<string, unknown>) => [item['message_id'], item['alert_id'], item['event_type']]),
    [[null, id, 'quota.warning']],
  )
  const one = await admin('POST', '/v1/endpoints/orders/replay', { alert_id: id })
  assert.deepEqual([one.statusCode, one.json()], [202, { replayed: 1 }])
  const replayed = await admin('POST', '/v1/endpoints/orders/replay', { since: new Date(api.clock()).toISOString() })
  assert.deepEqual([replayed.statusCode, replayed.json()], [202, { replayed: 1 }])
})
