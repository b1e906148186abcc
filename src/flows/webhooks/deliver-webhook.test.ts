import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { parseTraceparent } from '../../domain/message/trace.ts'
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'
import { toWebhookId } from '../../domain/webhooks/payload.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openWebhookSigner } from '../../engines/crypto/webhook-signer.ts'
import { seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { erase } from '../admin/erase.ts'
import { CONTENT, START, TENANT, TRACE } from '../gateway.fixture.ts'
import { resend } from '../send/resend.ts'
import {
  answering,
  CALLBACK_URL,
  customers,
  KEY,
  RUNNING,
  STATUS_EVENTS,
  UNREACHABLE,
} from './deliver-webhook.fixture.ts'
import { deliverWebhook } from './deliver-webhook.ts'

const signer = openWebhookSigner(Buffer.alloc(32, 1))
const { open, delivered } = customers({ openEngine: openMemoryEngine, ids: openIds(), signer })

test('delivers every status change once, in order and signed', async () => {
  const { deliverDue, requests, postedTypes, deliveryOf, eventsOf, clock, observed, id } = await delivered()
  assert.equal(await deliverDue(), 1)
  assert.deepEqual(postedTypes(), STATUS_EVENTS)
  const { state, deliveredThrough, wantedThrough, lastStatus, triedAt } = await deliveryOf(id)
  assert.deepEqual([state, deliveredThrough === wantedThrough, lastStatus, triedAt], ['delivered', true, 204, clock()])
  assert.equal(await deliverDue(), 0)

  const events = await eventsOf(id)
  for (const { url, headers, body } of requests) {
    assert.equal(url, 'https://customer.test/hook')
    const name = headers['webhook-id'] ?? ''
    assert.ok(events.some((event) => name === `evt_${event.id.replaceAll('.', '_')}`))
    const { traceparent, 'content-type': type, 'user-agent': agent, ...signed } = headers
    assert.deepEqual([type, agent], ['application/json', 'Pombo'])
    assert.deepEqual(signed, signer.sign({ ...KEY, secretVersion: 1 }, name, clock(), body))
    assert.deepEqual(parseTraceparent(traceparent)?.traceId, TRACE)
    assert.ok(!body.includes(CONTENT.body) && !body.includes(CONTENT.to))
  }
  assert.deepEqual(observed, Array(4).fill('e1 delivered'))
})

test('completes without a call when the endpoint subscribes to none of the events', async () => {
  const { addEndpoint, deliver, enqueue, deliverDue, deliveryOf, requests } = open()
  await addEndpoint({ events: ['message.failed'] })
  const id = await deliver()
  await enqueue(id)
  await deliverDue()
  const { state, lastStatus, triedAt } = await deliveryOf(id)
  assert.deepEqual([state, lastStatus, triedAt, requests.length], ['delivered', undefined, undefined, 0])
})

test('completes when the last subscribed event is delivered', async () => {
  const { addEndpoint, deliver, enqueue, deliverDue, deliveryOf, postedTypes } = open()
  await addEndpoint({ events: ['message.sending'] })
  const id = await deliver()
  await enqueue(id)
  await deliverDue()
  assert.deepEqual([postedTypes(), (await deliveryOf(id)).state], [['message.sending'], 'delivered'])
})

test("delivers to a message's callback URL, signed with the secret of the account", async () => {
  const { deliver, enqueue, deliverDue, requests, postedTypes, clock, deliveryOf } = open()
  const id = await deliver(true)
  await enqueue(id)
  await deliverDue()
  assert.deepEqual(postedTypes(), STATUS_EVENTS)
  for (const { url, headers, body } of requests) {
    assert.equal(url, CALLBACK_URL)
    const key = { ...KEY, id: CALLBACK, secretVersion: 1 }
    const signed = signer.sign(key, headers['webhook-id'] ?? '', clock(), body)
    assert.partialDeepStrictEqual(headers, signed)
  }
  assert.equal((await deliveryOf(id, CALLBACK)).state, 'delivered')
})

test("retries a callback without an endpoint's health, and gives it up on 410", async () => {
  const { deliver, enqueue, deliverDue, deliveryOf, pass } = open([UNREACHABLE, answering(410)])
  const id = await deliver(true)
  await enqueue(id)
  const deps = { endpoints: { judge: async () => assert.fail('there is no endpoint') } }
  await deliverDue(deps)
  assert.equal((await deliveryOf(id, CALLBACK)).state, 'pending')
  pass(seconds(5))
  await deliverDue(deps)
  const { state, lastStatus } = await deliveryOf(id, CALLBACK)
  assert.deepEqual([state, lastStatus], ['failed', 410])
})

test('delivers the events of an erased message without the erased fields, and not to its callback', async () => {
  const { addEndpoint, deliver, enqueue, deliverDue, requests, deliveryOf, deps } = open()
  await addEndpoint()
  const id = await deliver(true)
  await enqueue(id)
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  assert.equal(await deliverDue(), 2)
  assert.equal(requests.length, 4)
  for (const { url, body } of requests) {
    assert.equal(url, 'https://customer.test/hook')
    const { to, metadata, tags } = JSON.parse(body).data
    assert.deepEqual([to, metadata, tags], [null, {}, []])
  }
  assert.equal((await deliveryOf(id, CALLBACK)).state, 'delivered')
})

test('events delivered after an erasure do not contain erased fields', async () => {
  const erased = open([
    async () => {
      await erase(erased.deps, { tenantId: TENANT, id, traceId: TRACE })
      return answering(204)
    },
  ])
  await erased.addEndpoint()
  const id = await erased.deliver()
  await erased.enqueue(id)
  await erased.deliverDue()
  assert.equal(erased.requests.length, 1)
  await erased.deliverDue()
  assert.deepEqual(erased.postedTypes(), STATUS_EVENTS)
  const metadata = erased.requests.map(({ body }) => JSON.parse(body).data.metadata)
  assert.deepEqual(metadata, [CONTENT.metadata, {}, {}, {}])
})

test('completes without a call when the endpoint or the message is missing', async () => {
  const { takeWebhookDeliveries, webhookDeps, deliveryOf, id, requests } = await delivered()
  const [taken = assert.fail('none is due')] = await takeWebhookDeliveries()
  await deliverWebhook(webhookDeps, { delivery: taken.delivery }, RUNNING)
  assert.equal((await deliveryOf(id)).state, 'delivered')

  const other = await delivered()
  const log = { read: async () => [], load: async () => undefined }
  await other.deliverDue({ log })
  assert.deepEqual(
    [(await other.deliveryOf(other.id)).state, requests.length, other.requests.length],
    ['delivered', 0, 0],
  )
})

test('releases the delivery unchanged while the log is unavailable, and throws', async () => {
  const { deliverDue, deliveryOf, requests, postedTypes, id } = await delivered()
  const unavailable = async () => Promise.reject(new Unavailable('no log'))
  await assert.rejects(deliverDue({ log: { read: unavailable, load: unavailable } }), Unavailable)
  const { state, failures } = await deliveryOf(id)
  assert.deepEqual([state, failures, requests.length], ['pending', 0, 0])
  await deliverDue()
  assert.deepEqual(postedTypes(), STATUS_EVENTS)
})

test('keeps the lease after any other error, until it ends', async () => {
  const { deliverDue, pass, postedTypes } = await delivered()
  const transport = { post: async () => Promise.reject(new Error('bug')) }
  await assert.rejects(deliverDue({ transport }), /bug/)
  assert.equal(await deliverDue(), 0)
  pass(seconds(45))
  await deliverDue()
  assert.deepEqual(postedTypes(), STATUS_EVENTS)
})

test('extends its lease with each event, and releases the delivery when it is stopped', async () => {
  const stop = new AbortController()
  let others = -1
  const { deliverDue, takeWebhookDeliveries, postedTypes, pass } = await delivered([
    answering(200),
    async () => {
      // The first event took long; its delivery extended the lease.
      pass(seconds(44))
      others = (await takeWebhookDeliveries()).length
      stop.abort()
      return answering(200)
    },
  ])
  await deliverDue({}, stop.signal)
  assert.deepEqual([others, postedTypes()], [0, STATUS_EVENTS.slice(0, 2)])
  await deliverDue()
  assert.deepEqual(postedTypes(), STATUS_EVENTS)
})

test('events recorded during a delivery are delivered next', async () => {
  const { deliverDue, postedTypes, deliveryOf, enqueue, submit, work, addEndpoint } = open([
    async () => {
      await work()
      await enqueue(early)
      return answering(204)
    },
  ])
  await addEndpoint()
  const early = await submit()
  await enqueue(early)
  await deliverDue()
  assert.equal((await deliveryOf(early)).state, 'pending')
  await deliverDue()
  assert.deepEqual(postedTypes(), STATUS_EVENTS.slice(0, 3))
})

test('a replay during a delivery starts again from the first event', async () => {
  const { id: endpointId, ...of } = KEY
  const replayed = await delivered([
    answering(204),
    async () => {
      await replayed.webhookDeliveries.replay({ ...of, endpointId }, START, replayed.clock())
      return answering(204)
    },
  ])
  await replayed.deliverDue()
  await replayed.deliverDue()
  assert.deepEqual(replayed.postedTypes(), [...STATUS_EVENTS, ...STATUS_EVENTS])
  const [first, , , , again] = replayed.requests.map(({ headers }) => headers['webhook-id'])
  assert.equal(first, again)
})

test('delivers a long timeline in parts, every event once and in order', async () => {
  const { addEndpoint, deps, deliver, work, enqueue, deliverDue, eventsOf, deliveryOf, requests } = open()
  await addEndpoint()
  const id = await deliver()
  for (let nth = 0; nth < 40; nth += 1) {
    await resend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE })
    await work()
  }
  await enqueue(id)
  const parts: number[] = []
  for (let before = 0; (await deliverDue()) > 0; before = requests.length) parts.push(requests.length - before)
  assert.deepEqual(parts, [100, requests.length - 100])
  const known = (await eventsOf(id)).map((event) => toWebhookId(event))
  const posted = requests.map(({ headers }) => headers['webhook-id'] ?? '')
  assert.deepEqual(
    posted,
    known.filter((name) => posted.includes(name)),
  )
  assert.equal(new Set(posted).size, 4 + 3 * 40)
  const { state, deliveredThrough, wantedThrough } = await deliveryOf(id)
  assert.deepEqual([state, deliveredThrough === wantedThrough], ['delivered', true])
})
