import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openWebhookSigner } from '../../engines/crypto/webhook-signer.ts'
import { seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { erase } from '../admin/erase.ts'
import { CONTENT, START, TENANT, TRACE } from '../gateway.fixture.ts'
import { answering, CALLBACK_URL, customers, KEY, LIFE, ON, UNREACHABLE } from './deliver-webhook.fixture.ts'
import { deliverWebhook } from './deliver-webhook.ts'

const signer = openWebhookSigner(Buffer.alloc(32, 1))
const { open, delivered } = customers({ openEngine: openMemoryEngine, ids: openIds(), signer })

test('an endpoint is told of every change, in order, once, and signed', async () => {
  const { tellDue, parcels, toldTypes, deliveryOf, eventsOf, clock, heard, id } = await delivered()
  assert.equal(await tellDue(), 1)
  assert.deepEqual(toldTypes(), LIFE)
  const { state, deliveredThrough, wantedThrough, lastStatus, triedAt } = await deliveryOf(id)
  assert.deepEqual([state, deliveredThrough === wantedThrough, lastStatus, triedAt], ['delivered', true, 204, clock()])
  assert.equal(await tellDue(), 0)

  const events = await eventsOf(id)
  for (const { url, headers, body } of parcels) {
    assert.equal(url, 'https://customer.test/hook')
    const name = headers['webhook-id'] ?? ''
    assert.ok(events.some((event) => name === `evt_${event.id.slice(0, 32)}`))
    assert.deepEqual(headers, signer.sign({ ...KEY, secretVersion: 1 }, name, clock(), body))
    assert.ok(!body.includes(CONTENT.body) && !body.includes(CONTENT.to))
  }
  assert.deepEqual(heard, Array(4).fill('e1 told'))
})

test('what has nothing to tell is settled without a call', async () => {
  const { addEndpoint, deliver, want, tellDue, deliveryOf, parcels } = open()
  await addEndpoint({ events: ['message.failed'] })
  const id = await deliver()
  await want(id)
  await tellDue()
  const { state, lastStatus, triedAt } = await deliveryOf(id)
  assert.deepEqual([state, lastStatus, triedAt, parcels.length], ['delivered', undefined, undefined, 0])
})

test('what follows the last event that is told is passed over with it', async () => {
  const { addEndpoint, deliver, want, tellDue, deliveryOf, toldTypes } = open()
  await addEndpoint({ events: ['message.sending'] })
  const id = await deliver()
  await want(id)
  await tellDue()
  assert.deepEqual([toldTypes(), (await deliveryOf(id)).state], [['message.sending'], 'delivered'])
})

test('a message with a callback is told of there, with the secret of the account', async () => {
  const { deliver, want, tellDue, parcels, toldTypes, clock, deliveryOf } = open()
  const id = await deliver(true)
  await want(id)
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE)
  for (const { url, headers, body } of parcels) {
    assert.equal(url, CALLBACK_URL)
    const key = { ...KEY, id: CALLBACK, secretVersion: 1 }
    assert.deepEqual(headers, signer.sign(key, headers['webhook-id'] ?? '', clock(), body))
  }
  assert.equal((await deliveryOf(id, CALLBACK)).state, 'delivered')
})

test('a callback that fails is tried again and judged by nobody, and one that is gone is given up', async () => {
  const { deliver, want, tellDue, deliveryOf, pass } = open([UNREACHABLE, answering(410)])
  const id = await deliver(true)
  await want(id)
  const deps = { endpoints: { judge: async () => assert.fail('there is no endpoint') } }
  await tellDue(deps)
  assert.equal((await deliveryOf(id, CALLBACK)).state, 'pending')
  pass(seconds(5))
  await tellDue(deps)
  const { state, lastStatus } = await deliveryOf(id, CALLBACK)
  assert.deepEqual([state, lastStatus], ['failed', 410])
})

test('of an erased message an endpoint is told without what was erased, and a callback not at all', async () => {
  const { addEndpoint, deliver, want, tellDue, parcels, deliveryOf, deps } = open()
  await addEndpoint()
  const id = await deliver(true)
  await want(id)
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  assert.equal(await tellDue(), 2)
  assert.equal(parcels.length, 4)
  for (const { url, body } of parcels) {
    assert.equal(url, 'https://customer.test/hook')
    const { to, metadata, tags } = JSON.parse(body).data
    assert.deepEqual([to, metadata, tags], [null, {}, []])
  }
  assert.equal((await deliveryOf(id, CALLBACK)).state, 'delivered')
})

test('what is erased while it is told is not in what is told after it', async () => {
  const erased = open([
    async () => {
      await erase(erased.deps, { tenantId: TENANT, id, traceId: TRACE })
      return answering(204)
    },
  ])
  await erased.addEndpoint()
  const id = await erased.deliver()
  await erased.want(id)
  await erased.tellDue()
  assert.equal(erased.parcels.length, 1)
  await erased.tellDue()
  assert.deepEqual(erased.toldTypes(), LIFE)
  const metadata = erased.parcels.map(({ body }) => JSON.parse(body).data.metadata)
  assert.deepEqual(metadata, [CONTENT.metadata, {}, {}, {}])
})

test('a webhook delivery whose endpoint is gone, or whose message nobody knows, is settled without a call', async () => {
  const { takeWebhookDeliveries, telling, deliveryOf, id, parcels } = await delivered()
  const [taken = assert.fail('none is due')] = await takeWebhookDeliveries()
  await deliverWebhook(telling, { delivery: taken.delivery }, ON)
  assert.equal((await deliveryOf(id)).state, 'delivered')

  const other = await delivered()
  const log = { read: async () => [], load: async () => undefined }
  await other.tellDue({ log })
  assert.deepEqual(
    [(await other.deliveryOf(other.id)).state, parcels.length, other.parcels.length],
    ['delivered', 0, 0],
  )
})

test('while the log is away the webhook delivery is handed back as it was, and the fault is told', async () => {
  const { tellDue, deliveryOf, parcels, toldTypes, id } = await delivered()
  const away = async () => Promise.reject(new Unavailable('no log'))
  await assert.rejects(tellDue({ log: { read: away, load: away } }), Unavailable)
  const { state, failures } = await deliveryOf(id)
  assert.deepEqual([state, failures, parcels.length], ['pending', 0, 0])
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE)
})

test('after another fault the webhook delivery stays in hand until its lease ends', async () => {
  const { tellDue, pass, toldTypes } = await delivered()
  const transport = { post: async () => Promise.reject(new Error('a bug of ours')) }
  await assert.rejects(tellDue({ transport }), /a bug of ours/)
  assert.equal(await tellDue(), 0)
  pass(seconds(45))
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE)
})

test('while it goes on telling nobody else gets the webhook delivery, and when it stops others do at once', async () => {
  const stop = new AbortController()
  let others = -1
  const { tellDue, takeWebhookDeliveries, toldTypes, pass } = await delivered([
    answering(200),
    async () => {
      // The first event took long; its settling has prolonged the lease.
      pass(seconds(44))
      others = (await takeWebhookDeliveries()).length
      stop.abort()
      return answering(200)
    },
  ])
  await tellDue({}, stop.signal)
  assert.deepEqual([others, toldTypes()], [0, LIFE.slice(0, 2)])
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE)
})

test('what happens while it is told is told after it', async () => {
  const { tellDue, toldTypes, deliveryOf, want, submit, work, addEndpoint } = open([
    async () => {
      await work()
      await want(early)
      return answering(204)
    },
  ])
  await addEndpoint()
  const early = await submit()
  await want(early)
  await tellDue()
  assert.equal((await deliveryOf(early)).state, 'pending')
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE.slice(0, 3))
})

test('what is replayed while it is told is told again from the start', async () => {
  const { id: endpointId, ...of } = KEY
  const replayed = await delivered([
    answering(204),
    async () => {
      await replayed.webhookDeliveries.replay({ ...of, endpointId }, START, replayed.clock())
      return answering(204)
    },
  ])
  await replayed.tellDue()
  await replayed.tellDue()
  assert.deepEqual(replayed.toldTypes(), [...LIFE, ...LIFE])
  const [first, , , , again] = replayed.parcels.map(({ headers }) => headers['webhook-id'])
  assert.equal(first, again)
})
