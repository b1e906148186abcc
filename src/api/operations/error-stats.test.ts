import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Fact } from '../../domain/message/events.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ATTEMPTED: Fact = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' }
const AT = '2030-01-31T12:00:00.000Z'

/** Two dead letters, and one message that no provider was asked to carry. */
async function openFailed() {
  const api = await openFixture(world)
  const call = await api.caller()
  const send = async (key: string, ...facts: Fact[]): Promise<void> => {
    const { request_id: id } = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: key })).json()
    await api.happen(id, ...facts)
  }
  const dead: Fact = { kind: 'DeadLettered', code: 'TIMEOUT', detail: 'no answer' }
  await send('a', ATTEMPTED, dead)
  await send('b', { kind: 'HandoffFailed', code: 'NO_ROUTE_FOUND', detail: 'none' })
  await send('c', ATTEMPTED, dead)
  await api.project()
  return { ...api, errors: async (query = '') => (await call('GET', `/v1/stats/errors${query}`)).json() }
}

const TIMEOUTS = { channel: 'sms', provider: 'fake', error_code: 'TIMEOUT', count: 2, newest_at: AT }
const ROUTELESS = { channel: 'sms', provider: null, error_code: 'NO_ROUTE_FOUND', count: 1, newest_at: AT }

test('counts errors, most frequent first, optionally of dead letters only', async () => {
  await using api = await openFailed()
  assert.deepEqual(await api.errors(), { items: [TIMEOUTS, ROUTELESS] })
  assert.deepEqual(await api.errors('?dead=true'), { items: [TIMEOUTS] })
  assert.deepEqual(await api.errors('?dead=false'), { items: [ROUTELESS] })
})

test("counts errors of a period and of the caller's tenant", async () => {
  await using api = await openFailed()
  assert.deepEqual(await api.errors('?from=2030-01-31T12:00:01Z'), { items: [] })
  assert.deepEqual(await api.errors('?to=2030-01-31T12:00:00Z'), { items: [] })
  assert.equal((await api.errors('?from=2030-01-31T12:00:00Z&to=2030-01-31T12:00:01Z')).items.length, 2)
  assert.equal((await api.errors('?from=noon')).error_code, 'VALIDATION_ERROR')
  for (const to of ['2030-01-31T11:00:00Z', '2030-01-31T12:00:00Z']) {
    const refused = await api.errors(`?from=2030-01-31T12:00:00Z&to=${to}`)
    assert.deepEqual([refused.error_code, refused.details?.[0]?.path], ['VALIDATION_ERROR', '/from'])
  }
  const stranger = await api.caller({ tenant_id: 'other' })
  assert.deepEqual((await stranger('GET', '/v1/stats/errors')).json(), { items: [] })
})
