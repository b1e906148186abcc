import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { instant, later, seconds, toIso } from '../../lib/time.ts'
import { DELIVERIES_KEPT_FOR, type DeliveryResult, type TakenDelivery } from '../../ports/webhook-deliveries.ts'
import { SMS, type World } from '../server.fixture.ts'
import { NOON, openEndpoints } from './endpoints.fixture.ts'

const world: World = { openEngine: openMemoryEngine, ids: openIds() }
const CALLBACK_URL = 'https://acme.example/one'

type Shown = Readonly<Record<string, unknown>>

/** An account with the endpoint `orders`, and helpers to send a message and deliver its webhooks. */
async function open() {
  const opened = await openEndpoints(world)
  const { api, admin } = opened
  const { log, webhookDeliveries } = api.deps
  const account = { tenantId: 'acme' as never, accountId: 'main' as never }
  await opened.make()

  /** A message whose latest event is due for all its endpoints. */
  async function send(fields: object = {}): Promise<MessageId> {
    const sent = await admin('POST', '/v1/sms/send', { ...SMS, idempotency_key: randomUUID(), ...fields })
    assert.equal(sent.statusCode, 202, sent.body)
    const latest = (await log.read(sent.json().request_id)).at(-1)
    if (latest === undefined) throw new Error('not stored')
    const { position, event } = latest
    const hasCallback = event.state.callback === true
    await webhookDeliveries.enqueue([{ ...account, messageId: event.state.id, position, hasCallback, at: event.at }])
    return event.state.id
  }

  /** Everything that is due is tried now, and ends so. */
  async function deliver(ending: (taken: TakenDelivery) => DeliveryResult): Promise<void> {
    for (const taken of await webhookDeliveries.take(api.clock(), later(api.clock(), seconds(60)), 100, 100)) {
      await webhookDeliveries.complete(taken.delivery, ending(taken))
    }
  }

  const list = async (path: string): Promise<readonly Shown[]> => (await admin('GET', path)).json().items
  return { ...opened, send, deliver, list, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

const PENDING = {
  alert_id: null,
  event_type: null,
  endpoint_id: 'orders',
  endpoint_url: 'https://acme.example/hooks',
  state: 'pending',
  failures: 0,
  due_at: NOON,
  last_status: null,
  last_error: null,
  tried_at: null,
  created_at: NOON,
  updated_at: NOON,
}

test('lists pending, delivered and failed deliveries of an endpoint', async () => {
  await using opened = await open()
  const { api, send, deliver, list } = opened
  const id = await send()
  assert.deepEqual(await list('/v1/endpoints/orders/deliveries'), [{ message_id: id, ...PENDING }])

  const again = later(api.clock(), seconds(5))
  await deliver(() => ({ kind: 'failed', status: 500, error: 'it answered with 500', at: api.clock(), again }))
  const failed = {
    failures: 1,
    due_at: toIso(again),
    last_status: 500,
    last_error: 'it answered with 500',
    tried_at: NOON,
  }
  assert.deepEqual(await list('/v1/endpoints/orders/deliveries'), [{ message_id: id, ...PENDING, ...failed }])

  api.pass(seconds(5))
  const delivered = {
    state: 'delivered',
    due_at: null,
    last_status: 204,
    tried_at: toIso(again),
    updated_at: toIso(again),
  }
  await deliver(({ delivery }) => ({
    kind: 'delivered',
    through: delivery.wantedThrough,
    status: 204,
    at: api.clock(),
  }))
  assert.deepEqual(await list('/v1/endpoints/orders/deliveries'), [{ message_id: id, ...PENDING, ...delivered }])
})

test('lists deliveries by last change, filtered by state, page by page', async () => {
  await using opened = await open()
  const { api, admin, send, deliver, list } = opened
  const ids = [await send()]
  await deliver(({ delivery }) => ({
    kind: 'delivered',
    through: delivery.wantedThrough,
    status: 200,
    at: api.clock(),
  }))
  for (let nth = 0; nth < 2; nth += 1) {
    api.pass(seconds(1))
    ids.unshift(await send())
  }
  const idsOf = (items: readonly Shown[]) => items.map(({ message_id: id }) => id)
  assert.deepEqual(idsOf(await list('/v1/endpoints/orders/deliveries')), ids)
  assert.deepEqual(idsOf(await list('/v1/endpoints/orders/deliveries?state=delivered')), ids.slice(2))
  assert.deepEqual(idsOf(await list('/v1/endpoints/orders/deliveries?state=failed')), [])

  const first = (await admin('GET', '/v1/endpoints/orders/deliveries?limit=2')).json()
  assert.deepEqual(idsOf(first.items), ids.slice(0, 2))
  const cursor = encodeURIComponent(first.next_cursor)
  const second = (await admin('GET', `/v1/endpoints/orders/deliveries?limit=2&cursor=${cursor}`)).json()
  assert.deepEqual([idsOf(second.items), second.next_cursor], [ids.slice(2), null])
  for (const query of ['state=lost', 'limit=0', 'limit=201', 'x=1']) {
    assert.equal((await admin('GET', `/v1/endpoints/orders/deliveries?${query}`)).statusCode, 400)
  }
})

test('lists the deliveries of a message, its callback_url included', async () => {
  await using opened = await open()
  const { send, list } = opened
  await opened.make({ id: 'second' })
  const [own, plain] = [await send({ callback_url: CALLBACK_URL }), await send()]
  const endpointsOf = async (id: string) =>
    (await list(`/v1/messages/${id}/webhook-deliveries`)).map((one) => one['endpoint_id'])
  assert.deepEqual((await endpointsOf(own)).toSorted(), ['callback', 'orders', 'second'])
  assert.deepEqual((await endpointsOf(plain)).toSorted(), ['orders', 'second'])
  assert.deepEqual(
    (await list('/v1/endpoints/callback/deliveries')).map(({ message_id: id }) => id),
    [own],
  )
})

test('deliveries have the URL of their endpoint, without its query', async () => {
  await using opened = await open()
  const { send, list } = opened
  await opened.make({ id: 'second', url: 'https://acme.example/second?token=secret' })
  const id = await send({ callback_url: `${CALLBACK_URL}?token=secret` })
  const urlsOf = async (path: string) =>
    (await list(path)).map((one) => [one['endpoint_id'], one['endpoint_url']]).toSorted()
  const second = ['second', 'https://acme.example/second?***']
  assert.deepEqual(await urlsOf(`/v1/messages/${id}/webhook-deliveries`), [
    ['callback', `${CALLBACK_URL}?***`],
    ['orders', 'https://acme.example/hooks'],
    second,
  ])
  assert.deepEqual(await urlsOf('/v1/endpoints/second/deliveries'), [second])
  assert.deepEqual(await urlsOf('/v1/endpoints/callback/deliveries'), [['callback', null]])
})

test('enabling an endpoint makes its missed deliveries due', async () => {
  await using opened = await open()
  const { api, admin, send, list } = opened
  const dueAt = async () => (await list('/v1/endpoints/orders/deliveries')).map((one) => one['due_at'])
  await admin('PATCH', '/v1/endpoints/orders', { enabled: false })
  await send()
  assert.deepEqual(await dueAt(), [null])
  api.pass(seconds(60))
  await admin('PATCH', '/v1/endpoints/orders', { description: 'still disabled' })
  assert.deepEqual(await dueAt(), [null])
  await admin('PATCH', '/v1/endpoints/orders', { enabled: true })
  const [due] = await dueAt()
  assert.ok(typeof due === 'string' && due <= toIso(api.clock()))
})

test('enabling an endpoint makes waiting retries due now', async () => {
  await using opened = await open()
  const { api, admin, send, deliver, list } = opened
  await send()
  await deliver(() => ({
    kind: 'failed',
    error: 'connection refused',
    at: api.clock(),
    again: later(api.clock(), DELIVERIES_KEPT_FOR),
  }))
  await admin('PATCH', '/v1/endpoints/orders', { enabled: true })
  assert.deepEqual(
    (await list('/v1/endpoints/orders/deliveries')).map((one) => one['due_at']),
    [NOON],
  )
})

test('replays everything since a time, or one message', async () => {
  await using opened = await open()
  const { api, admin, send, deliver, list } = opened
  const old = await send()
  api.pass(seconds(60))
  const since = toIso(api.clock())
  const [young, own] = [await send(), await send({ callback_url: CALLBACK_URL })]
  const pending = async (id = 'orders') =>
    (await list(`/v1/endpoints/${id}/deliveries?state=pending`)).map((one) => one['message_id']).toSorted()
  const tellAll = () =>
    deliver(({ delivery }) => ({
      kind: 'delivered',
      through: delivery.wantedThrough,
      status: 200,
      at: delivery.createdAt,
    }))
  await tellAll()
  assert.deepEqual(await pending(), [])

  const all = await admin('POST', '/v1/endpoints/orders/replay', { since })
  assert.deepEqual([all.statusCode, all.json()], [202, { replayed: 2 }])
  assert.deepEqual(await pending(), [young, own].toSorted())
  await tellAll()

  const one = await admin('POST', '/v1/endpoints/orders/replay', { message_id: old })
  assert.deepEqual([one.statusCode, one.json()], [202, { replayed: 1 }])
  assert.deepEqual(await pending(), [old])

  assert.deepEqual((await admin('POST', '/v1/endpoints/callback/replay', { message_id: old })).json(), { replayed: 0 })
  assert.deepEqual((await admin('POST', '/v1/endpoints/callback/replay', { since: NOON })).json(), { replayed: 1 })
  assert.deepEqual(await pending('callback'), [own])
})

test('a replay reaches back seven days and takes exactly one field', async () => {
  await using opened = await open()
  const { api, admin, send } = opened
  const id = await send()
  const replay = (body: object) => admin('POST', '/v1/endpoints/orders/replay', body)
  const weekAgo = instant(api.clock() - DELIVERIES_KEPT_FOR)
  assert.equal((await replay({ since: toIso(weekAgo) })).statusCode, 202)
  const tooOld = await replay({ since: toIso(instant(weekAgo - 1)) })
  assert.deepEqual([tooOld.statusCode, tooOld.json().details[0].path], [400, '/since'])
  for (const body of [{}, { since: NOON, message_id: id }, { since: 'noon' }, { message_id: 'x' }, { x: 1 }]) {
    assert.equal((await replay(body)).statusCode, 400, JSON.stringify(body))
  }
  const unknown = '00000000-0000-4000-8000-000000000000'
  assert.equal((await replay({ message_id: unknown })).statusCode, 404)
})

test('other accounts and tenants see and replay nothing', async () => {
  await using opened = await open()
  const { admin, send, strangers } = opened
  const id = await send({ callback_url: CALLBACK_URL })
  for (const stranger of await strangers()) {
    assert.equal((await stranger('GET', '/v1/endpoints/orders/deliveries')).statusCode, 404)
    assert.deepEqual((await stranger('GET', '/v1/endpoints/callback/deliveries')).json().items, [])
    assert.deepEqual((await stranger('GET', `/v1/messages/${id}/webhook-deliveries`)).json().items ?? [], [])
    assert.equal((await stranger('POST', '/v1/endpoints/orders/replay', { message_id: id })).statusCode, 404)
    assert.equal((await stranger('POST', '/v1/endpoints/callback/replay', { message_id: id })).statusCode, 404)
    assert.deepEqual((await stranger('POST', '/v1/endpoints/callback/replay', { since: NOON })).json(), { replayed: 0 })
  }
  assert.equal((await admin('GET', `/v1/messages/${id}/webhook-deliveries`)).json().items.length, 2)
})

test('needs messages:read to list and admin to replay', async () => {
  await using opened = await open()
  const id = await opened.send()
  const reader = await opened.api.caller()
  assert.equal((await reader('GET', '/v1/endpoints/orders/deliveries')).statusCode, 200)
  assert.equal((await reader('POST', '/v1/endpoints/orders/replay', { since: NOON })).statusCode, 403)
  const sender = await opened.api.caller({ scope: 'sms:send' })
  for (const path of ['/v1/endpoints/orders/deliveries', `/v1/messages/${id}/webhook-deliveries`]) {
    assert.equal((await sender('GET', path)).statusCode, 403)
  }
})
