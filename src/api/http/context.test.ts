import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const traceId = fc.stringMatching(/^[0-9a-f]{32}$/).filter((id) => !/^0+$/.test(id))

test('S1-P17 log lines, response headers and events carry the trace and the request id', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.option(traceId, { nil: undefined }), fc.boolean(), async (trace, valid) => {
      api.lines.length = 0
      const headers = trace === undefined ? {} : { traceparent: `00-${trace}-00f067aa0ba902b7-01` }
      const payload = { ...SMS, idempotency_key: `run ${run++}`, ...(valid ? {} : { to: 'nobody' }) }
      const answer = await call('POST', '/v1/sms/send', payload, headers)
      const names = { trace_id: answer.headers['x-trace-id'], http_request_id: answer.headers['x-request-id'] }
      if (trace !== undefined) assert.equal(names.trace_id, trace)

      assert.ok(api.lines.length >= 2)
      for (const line of api.lines) {
        assert.deepEqual({ trace_id: line['trace_id'], http_request_id: line['http_request_id'] }, names)
        assert.equal(line['tenant_id'], 'acme')
      }
      if (!valid) return
      const { request_id: id } = answer.json()
      const latest = await api.deps.log.latest(id as MessageId)
      assert.ok(latest)
      assert.equal(latest.event.traceId, names.trace_id)
      const { traceId, httpRequestId } = latest.event.state
      // Later events, wherever they happen, take these from the message.
      assert.deepEqual({ trace_id: traceId, http_request_id: httpRequestId }, names)
      assert.ok(api.lines.some((line) => line['message_id'] === id))
    }),
  )
})

test('starts a new trace when traceparent is malformed', async () => {
  await using api = await openFixture(world)
  for (const traceparent of [
    '',
    'x',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${'a'.repeat(32)}-00f067aa0ba902b7-01`,
  ]) {
    const { headers } = await api.app.inject({ url: '/health/live', headers: { traceparent } })
    assert.match(String(headers['x-trace-id']), /^[0-9a-f]{32}$/)
    assert.ok(!traceparent.includes(String(headers['x-trace-id'])))
  }
})

test("a caller's X-Request-Id is that of the call, unless it could not be logged as it is", async () => {
  await using api = await openFixture(world)
  const idOf = async (given: string) =>
    (await api.app.inject({ url: '/health/live', headers: { 'x-request-id': given } })).headers['x-request-id']
  for (const id of ['checkout-1138', '0193e1c2-7f7a-7c1a-9def-0123456789ab', 'Root=1-67891233:a.b_c', 'x'.repeat(64)]) {
    assert.equal(await idOf(id), id)
  }
  for (const id of ['', ' ', 'a b', 'x'.repeat(65), 'ana@example.com', '+5511987654321', '"}', 'é']) {
    assert.match(String(await idOf(id)), /^[0-9a-f]{16}-[0-9a-z]+$/)
  }
})

test('request ids are unique', async () => {
  await using api = await openFixture(world)
  const answers = await Promise.all(Array.from({ length: 100 }, () => api.app.inject('/health/live')))
  assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, 100)
})

test('S1-P14 no log line contains a phone number or a text', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })
  await call('POST', '/v1/sms/send', { ...SMS, message: 'Another secret', idempotency_key: 'k' })
  await call('POST', '/v1/messages/batch', {
    items: [
      { ...SMS, idempotency_key: 'b' },
      { ...SMS, x: 1 },
    ],
  })
  await call('GET', `/v1/messages?to=${encodeURIComponent(SMS.to)}`)
  await call('POST', '/v1/erasures', { to: SMS.to })
  const text = JSON.stringify(api.lines)
  assert.ok(api.lines.length > 5)
  assert.ok(!text.includes(SMS.to.slice(1)) && !text.includes('parcel') && !text.includes('secret'))
})
