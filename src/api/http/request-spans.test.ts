import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'
import type { AnsweredRequest } from './request-spans.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const [TRACE, SPAN] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

async function openTraced() {
  const answered: AnsweredRequest[] = []
  const api = await openFixture(world, { onAnswered: (request) => answered.push(request) })
  const call = await api.caller()
  return {
    answered,
    app: api.app,
    send: (headers = {}) => call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' }, headers),
    stored: async (id: string) => (await api.deps.log.latest(id as MessageId))?.event,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

test("a request has a span within the caller's, and its message is within that of the request", async () => {
  await using api = await openTraced()
  const { headers, body } = await api.send({ traceparent: `00-${TRACE}-${SPAN}-01`, 'x-request-id': 'checkout-1138' })
  const [{ spanId, took, ...request } = assert.fail(), ...others] = api.answered
  assert.deepEqual(others, [])
  assert.deepEqual(request, {
    traceId: TRACE,
    callerSpanId: SPAN,
    httpRequestId: headers['x-request-id'],
    tenantId: 'acme',
    method: 'POST',
    route: '/v1/sms/send',
    status: 202,
  })
  assert(took >= 0)
  assert.match(spanId, /^[0-9a-f]{16}$/)
  assert.deepEqual((await api.stored(JSON.parse(body).id))?.cause, { traceId: TRACE, spanId })
})

test('what the caller does not record has no span, and its message says so', async () => {
  await using api = await openTraced()
  const { body } = await api.send({ traceparent: `00-${TRACE}-${SPAN}-00` })
  assert.deepEqual(api.answered, [])
  const event = await api.stored(JSON.parse(body).id)
  assert.deepEqual([event?.traceId, event?.state.unsampled, event?.cause], [TRACE, true, undefined])
})

test('without a valid traceparent a request begins a trace', async () => {
  await using api = await openTraced()
  for (const traceparent of [undefined, `00-${TRACE}-${'0'.repeat(16)}-01`, `ff-${TRACE}-${SPAN}-00`]) {
    await api.send(traceparent === undefined ? {} : { traceparent })
  }
  assert.equal(api.answered.length, 3)
  for (const { traceId, callerSpanId } of api.answered) {
    assert.notEqual(traceId, TRACE)
    assert.equal(callerSpanId, undefined)
  }
})

test('refused requests have spans, probes and unknown paths have none', async () => {
  await using api = await openTraced()
  for (const url of ['/health/live', '/metrics', '/v1/nope', '/v1/messages']) await api.app.inject({ url })
  assert.deepEqual(
    api.answered.map(({ route, status }) => [route, status]),
    [['/v1/messages', 401]],
  )
})

test('without an observer neither requests nor messages have spans', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const { body } = await call(
    'POST',
    '/v1/sms/send',
    { ...SMS, idempotency_key: 'k' },
    { traceparent: `00-${TRACE}-${SPAN}-01` },
  )
  const event = await api.deps.log.latest(JSON.parse(body).id)
  assert.deepEqual([event?.event.traceId, event?.event.cause], [TRACE, undefined])
})
