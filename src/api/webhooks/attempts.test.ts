import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EndpointId, MessageId, WebhookAttemptId } from '../../domain/ids.ts'
import type { WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import { toKeptBody } from '../../domain/webhooks/kept-text.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds, toIso } from '../../lib/time.ts'
import type { World } from '../server.fixture.ts'
import { ADMIN, NOON, openEndpoints } from './endpoints.fixture.ts'

const ids = openIds()
const world: World = { openEngine: openMemoryEngine, ids }
const MESSAGE = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as MessageId

async function open() {
  const opened = await openEndpoints(world)
  const { api, admin } = opened
  const { webhookAttempts, attemptSealer } = api.deps
  await opened.make()

  /** An attempt to deliver a message that failed with 500. */
  async function attempt(wanted: Partial<WebhookAttempt> = {}): Promise<WebhookAttemptId> {
    const at = api.clock()
    const failed: WebhookAttempt = {
      id: ids.webhookAttemptId(at),
      ...{ tenantId: 'acme' as never, accountId: 'main' as never, endpointId: 'orders' as EndpointId },
      subjectId: MESSAGE,
      event: { id: 'evt_1', type: 'message.delivered' },
      at,
      duration: millis(182),
      request: {
        url: 'https://acme.example/hooks?***',
        headers: { 'webhook-signature': '***' },
        body: toKeptBody(Buffer.from('{"type":"message.delivered"}')),
      },
      response: { status: 500, headers: { 'retry-after': '9' }, body: toKeptBody(Buffer.from('oh no')) },
      nextAt: later(at, seconds(9)),
      ...wanted,
    }
    await webhookAttempts.record([attemptSealer.seal(failed)])
    return failed.id
  }
  const list = async (query = '', call = admin) => (await call('GET', `/v1/endpoints/orders/attempts${query}`)).json()
  return { ...opened, attempt, list, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

const SUMMARY = {
  endpoint_id: 'orders',
  url: 'https://acme.example/hooks?***',
  message_id: MESSAGE,
  alert_id: null,
  test: false,
  event_type: 'message.delivered',
  webhook_id: 'evt_1',
  state: 'failed',
  status: 500,
  error: null,
  attempted_at: NOON,
  duration_ms: 182,
}

test('lists the attempts of a delivery, and shows one with everything that was sent and answered', async () => {
  await using opened = await open()
  const { attempt, list, admin, api } = opened
  const id = await attempt()
  await attempt({ subjectId: randomUUID() as MessageId })
  const shown = { id, ...SUMMARY, next_attempt_at: toIso(later(api.clock(), seconds(9))) }
  assert.deepEqual(await list(`?message_id=${MESSAGE}`), { items: [shown], next_cursor: null })
  assert.equal((await list()).items.length, 2)

  const details = await admin('GET', `/v1/endpoints/orders/attempts/${id}`)
  const sent = { text: '{"type":"message.delivered"}', bytes: 28, truncated: false }
  const answered = { text: 'oh no', bytes: 5, truncated: false }
  assert.deepEqual(details.json(), {
    ...shown,
    request: { headers: { 'webhook-signature': '***' }, body: sent },
    response: { status: 500, headers: { 'retry-after': '9' }, body: answered },
  })
})

test('an attempt without a response has the reason, and a binary body has no text', async () => {
  await using opened = await open()
  const { attempt, admin, list } = opened
  const id = await attempt({ response: undefined as never, error: 'the server refused' })
  const shown = (await admin('GET', `/v1/endpoints/orders/attempts/${id}`)).json()
  assert.deepEqual(
    [shown.state, shown.status, shown.error, shown.response],
    ['failed', null, 'the server refused', null],
  )
  const body = toKeptBody(new Uint8Array([0, 1, 2]))
  const binary = await attempt({ response: { status: 200, headers: {}, body } })
  const { state, response } = (await admin('GET', `/v1/endpoints/orders/attempts/${binary}`)).json()
  assert.deepEqual([state, response.body], ['delivered', { text: null, bytes: 3, truncated: false }])
  assert.deepEqual(
    (await list()).items.map((one: { id: string }) => one.id),
    [binary, id],
  )
})

test('lists page by page, and refuses what is no page', async () => {
  await using opened = await open()
  const { attempt, list, admin } = opened
  const made = [await attempt(), await attempt(), await attempt()].toReversed()
  const first = await list('?limit=2')
  const second = await list(`?limit=2&cursor=${first.next_cursor}`)
  assert.deepEqual(
    [...first.items, ...second.items].map(({ id }) => id),
    made,
  )
  assert.equal(second.next_cursor, null)
  for (const [query, path] of [
    ['cursor=x', '/cursor'],
    ['message_id=x', '/message_id'],
    [`message_id=${MESSAGE}&alert_id=${MESSAGE}`, '/alert_id'],
    ['limit=201', '/limit'],
  ]) {
    const refused = await admin('GET', `/v1/endpoints/orders/attempts?${query}`)
    assert.deepEqual([refused.statusCode, refused.json().details[0].path], [400, path])
  }
})

test('needs messages:read, and shows nothing of other accounts and tenants', async () => {
  await using opened = await open()
  const { attempt, api, strangers } = opened
  const id = await attempt()
  const callback = await attempt({ endpointId: 'callback' as EndpointId })
  const reader = await api.caller({ scope: 'messages:read' })
  const sender = await api.caller({ scope: 'sms:send' })
  for (const path of ['', `/${id}`]) {
    assert.equal((await reader('GET', `/v1/endpoints/orders/attempts${path}`)).statusCode, 200)
    assert.equal((await sender('GET', `/v1/endpoints/orders/attempts${path}`)).statusCode, 403)
  }
  assert.equal((await reader('GET', `/v1/endpoints/callback/attempts/${callback}`)).statusCode, 200)
  assert.equal((await reader('GET', `/v1/endpoints/orders/attempts/${callback}`)).statusCode, 404)
  assert.equal((await reader('GET', '/v1/endpoints/orders/attempts/none')).statusCode, 404)
  for (const stranger of await strangers()) {
    assert.equal((await stranger('GET', `/v1/endpoints/orders/attempts/${id}`)).statusCode, 404)
    assert.equal((await stranger('GET', `/v1/endpoints/callback/attempts/${callback}`)).statusCode, 404)
    assert.deepEqual((await stranger('GET', '/v1/endpoints/callback/attempts')).json().items, [])
  }
})

test('only operators see what was sent of the installation', async () => {
  await using opened = await open()
  const { attempt, api } = opened
  const alert = { subjectId: MESSAGE, event: { id: 'alert_1', type: 'provider.degraded' } } as const
  const id = await attempt(alert)
  const [reader, operator] = [await api.caller(), await api.caller({ scope: 'operator' })]
  assert.equal((await reader('GET', `/v1/endpoints/orders/attempts/${id}`)).statusCode, 403)
  const shown = await operator('GET', `/v1/endpoints/orders/attempts/${id}`)
  assert.deepEqual([shown.statusCode, shown.json().alert_id, shown.json().message_id], [200, MESSAGE, null])
})

test('an endpoint that is added again with the same id has none of the earlier attempts', async () => {
  await using opened = await open()
  const { attempt, list, admin, make } = opened
  await attempt()
  assert.equal((await admin('DELETE', '/v1/endpoints/orders')).statusCode, 204)
  await make()
  assert.deepEqual((await list()).items, [])
})

test('sends a test event, also to a disabled endpoint, and lists it', async () => {
  await using opened = await open()
  const { admin, list } = opened
  await admin('PATCH', '/v1/endpoints/orders', { enabled: false })
  const tested = await admin('POST', '/v1/endpoints/orders/test', { event: 'message.failed' })
  assert.equal(tested.statusCode, 200, tested.body)
  const { request, response, ...shown } = tested.json()
  assert.deepEqual(
    [shown.test, shown.event_type, shown.message_id, shown.alert_id],
    [true, 'message.failed', null, null],
  )
  assert.equal(JSON.parse(request.body.text).data.status, 'failed')
  assert.deepEqual(response, { status: 204, headers: {}, body: { text: '', bytes: 0, truncated: false } })
  assert.deepEqual((await list()).items, [shown])
  const [entry] = (await admin('GET', '/v1/audit?action=endpoint.tested')).json().items
  assert.deepEqual(entry.after, { event: 'message.failed', status: 204, error: null })
})

test('the default event is the first one, and others must be subscribed to', async () => {
  await using opened = await open()
  const { admin, make } = opened
  await make({ id: 'choosy', events: ['message.failed', 'quota.warning'] })
  const send = (body: object, id = 'choosy') => admin('POST', `/v1/endpoints/${id}/test`, body)
  assert.equal((await send({})).json().event_type, 'message.failed')
  assert.equal((await send({ event: 'quota.warning' })).json().event_type, 'quota.warning')
  for (const event of ['message.sent', 'nonsense']) {
    const refused = await send({ event })
    assert.deepEqual([refused.statusCode, refused.json().details[0].path], [400, '/event'])
  }
})

test('needs admin and an endpoint of the account, and is limited for each tenant', async () => {
  await using opened = await open()
  const { api, admin, strangers } = opened
  const reader = await api.caller()
  assert.equal((await reader('POST', '/v1/endpoints/orders/test', {})).statusCode, 403)
  for (const id of ['none', 'callback']) {
    assert.equal((await admin('POST', `/v1/endpoints/${id}/test`, {})).statusCode, 404)
  }
  for (const stranger of await strangers()) {
    assert.equal((await stranger('POST', '/v1/endpoints/orders/test', {})).statusCode, 404)
  }
  api.pass(seconds(60))
  const statuses = []
  for (let n = 0; n < 6; n += 1) statuses.push((await admin('POST', '/v1/endpoints/orders/test', {})).statusCode)
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
  const south = await api.caller({ ...ADMIN, tenant_id: 'south' })
  assert.equal((await south('POST', '/v1/endpoints/orders/test', {})).statusCode, 404)
  api.pass(seconds(1))
  assert.equal((await admin('POST', '/v1/endpoints/orders/test', {})).statusCode, 200)
})
