import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('shows the queue depth of each lane', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })
  await call('POST', '/v1/sms/send', { ...SMS, lane: 'bulk', idempotency_key: 'l' })
  const { lanes } = (await call('GET', '/v1/queue')).json()
  assert.deepEqual(
    lanes.toSorted((one: { lane: string }, other: { lane: string }) => (one.lane < other.lane ? -1 : 1)),
    [
      { lane: 'bulk', ready: 1, delayed: 0, parked: 0, taken: 0 },
      { lane: 'otp', ready: 0, delayed: 0, parked: 0, taken: 0 },
      { lane: 'transactional', ready: 1, delayed: 0, parked: 0, taken: 0 },
    ],
  )
})

test('shows a tenant its own jobs, those in test mode apart, and an operator those of all', async () => {
  await using api = await openFixture(world)
  for (const [tenant_id, count] of [
    ['acme', 2],
    ['other', 3],
  ] as const) {
    const call = await api.caller({ tenant_id })
    for (let nth = 0; nth < count; nth += 1) await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: `k${nth}` })
  }
  const depthFor = async (claims: object) => {
    const { tenant_id, lanes } = (
      await (
        await api.caller(claims as Record<string, unknown>)
      )('GET', '/v1/queue')
    ).json()
    return [tenant_id, lanes.reduce((sum: number, { ready }: { ready: number }) => sum + ready, 0)]
  }
  assert.deepEqual(await depthFor({}), ['acme', 2])
  assert.deepEqual(await depthFor({ tenant_id: 'other', scope: 'admin' }), ['other', 3])
  assert.deepEqual(await depthFor({ test: true }), ['acme', 0])
  assert.deepEqual(await depthFor({ scope: 'operator' }), [null, 5])
  assert.deepEqual(await depthFor({ scope: 'operator', test: true }), ['acme', 0])
})

test('needs the scope messages:read', async () => {
  await using api = await openFixture(world)
  assert.equal((await (await api.caller({ scope: 'sms:send' }))('GET', '/v1/queue')).statusCode, 403)
})
