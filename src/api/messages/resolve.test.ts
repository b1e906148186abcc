import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'
import type { TimelineEvent } from './message-schemas.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

const ATTEMPTED = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' } as const
const UNKNOWN = { kind: 'HandoffUnknown', code: 'TIMEOUT', detail: 'no answer', reconcileAt: 0 as never } as const

/** A message with an unknown outcome, and a caller that may resolve it. */
async function openUnknown() {
  const api = await openFixture(world)
  const call = await api.caller()
  const { request_id: id } = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })).json()
  await api.happen(id, ATTEMPTED, UNKNOWN)
  return {
    ...api,
    id,
    resolve: async (body: object, claims = {}) =>
      (await api.caller({ account_id: 'desk', sub: 'ana@acme.example', ...claims }))(
        'POST',
        `/v1/messages/${id}/resolve`,
        body,
      ),
    show: async () => (await call('GET', `/v1/messages/${id}`)).json(),
    countUnknown: async () => {
      await api.project()
      return (await call('GET', '/v1/messages?unknown=true')).json().items.length
    },
  }
}

for (const [as, status, expected] of [
  ['sent', 'sent', { event_type: 'HandoffAccepted', by: 'person' }],
  ['not_sent', 'failed', { event_type: 'HandoffFailed', code: 'RESOLVED_NOT_SENT' }],
  ['resend', 'sending', { event_type: 'RetryScheduled', code: 'RESOLVED_RESEND', due_at: '2030-01-31T12:00:00.000Z' }],
] as const) {
  test(`a message resolved as ${as} is ${status}, and its timeline names only the account`, async () => {
    await using api = await openUnknown()
    assert.equal(await api.countUnknown(), 1)
    const { statusCode, body } = await api.resolve({ as })
    assert.deepEqual(
      [statusCode, JSON.parse(body)],
      [200, { id: api.id, status, attempts: 1, cycle: 1, updated_at: '2030-01-31T12:00:00.000Z' }],
    )
    const message = await api.show()
    const { event_type, payload } = message.events.at(-1) as TimelineEvent
    const { resolved_by, ...said } = { event_type, ...payload } as Record<string, unknown>
    assert.equal(resolved_by, 'desk')
    assert.deepEqual({ ...said, ...expected }, said)
    assert.ok(!JSON.stringify(message).includes('ana@'))
    assert.deepEqual([message.status, message.unknown, await api.countUnknown()], [status, false, 0])
  })
}

test('a message with a known outcome is a conflict that names its status', async () => {
  await using api = await openUnknown()
  assert.equal((await api.resolve({ as: 'sent' })).statusCode, 200)
  const { statusCode, body } = await api.resolve({ as: 'resend' })
  const { error_code, detail } = JSON.parse(body)
  assert.deepEqual(
    [statusCode, error_code, detail],
    [409, 'CONFLICT', 'The outcome of the message is known: its status is sent; only unknown outcomes can be resolved'],
  )
})

test('accepts three resolutions, from callers with the scope only', async () => {
  await using api = await openUnknown()
  for (const body of [{}, { as: 'delivered' }, { as: 'sent', by: 'me' }, { as: null }]) {
    assert.equal((await api.resolve(body)).json().error_code, 'VALIDATION_ERROR', JSON.stringify(body))
  }
  assert.equal((await api.resolve({ as: 'sent' }, { tenant_id: 'other' })).statusCode, 404)
  assert.equal(await api.countUnknown(), 1)
})
