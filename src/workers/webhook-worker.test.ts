import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { EndpointId } from '../domain/ids.ts'
import type { WebhookResponse } from '../domain/webhooks/retry-schedule.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openWebhookSigner } from '../engines/crypto/webhook-signer.ts'
import { answering, KEY, openWebhookWorld } from '../flows/webhooks/deliver-webhook.fixture.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { DELIVERIES_KEPT_FOR } from '../ports/webhook-deliveries.ts'
import type { WebhookRequest, WebhookTransport } from '../ports/webhook-transport.ts'
import { CONCURRENCY, CONCURRENCY_PER_ENDPOINT, WebhookWorker } from './webhook-worker.ts'

const world = { openEngine: openMemoryEngine, ids: openIds(), signer: openWebhookSigner(Buffer.alloc(32, 1)) }
const noFault = (error: unknown): void => assert.fail(String(error))
const ENDPOINT = { events: ['message.delivered'] } as const
/** Longer than its poll interval and its pause after a fault. */
const A_WHILE = 2_000

/** A transport whose calls end when the test says so. */
function controlledTransport() {
  const inFlight: { request: WebhookRequest; end: (response: WebhookResponse) => void }[] = []
  const transport: WebhookTransport = {
    post: (request) => {
      const { promise, resolve: end } = Promise.withResolvers<WebhookResponse>()
      inFlight.push({ request, end })
      return promise
    },
  }
  return { inFlight, transport }
}

/** A gateway with this many messages to deliver to an endpoint. */
async function open(messages: number) {
  const opened = openWebhookWorld(world)
  await opened.addEndpoint(ENDPOINT)
  for (let n = 0; n < messages; n += 1) await opened.enqueue(await opened.deliver())
  return opened
}

/** Lets pending timers and promises run. */
async function pass(t: { mock: { timers: { tick: (ms: number) => void } } }, ms = A_WHILE): Promise<void> {
  for (const part of [ms / 2, ms / 2]) {
    t.mock.timers.tick(part)
    for (let n = 0; n < 20; n += 1) await setImmediate()
  }
}

test('delivers what is due, and the rest when it becomes due', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { webhookDeps, postedTypes, enqueue, deliver } = await open(1)
  const webhookWorker = new WebhookWorker(webhookDeps, noFault)
  await pass(t)
  assert.deepEqual(postedTypes(), ['message.delivered'])
  await enqueue(await deliver())
  await pass(t)
  assert.equal(postedTypes().length, 2)

  await webhookWorker[Symbol.asyncDispose]()
  await enqueue(await deliver())
  await pass(t)
  assert.equal(postedTypes().length, 2)
})

test('delivers a few at once per endpoint, and the next as soon as one ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { webhookDeps } = await open(CONCURRENCY_PER_ENDPOINT * 2 + 4)
  const { inFlight, transport } = controlledTransport()
  const webhookWorker = new WebhookWorker({ ...webhookDeps, transport }, noFault)
  await pass(t)
  assert.equal(inFlight.length, CONCURRENCY_PER_ENDPOINT)
  inFlight[3]?.end(answering(204))
  await pass(t, 50)
  assert.equal(inFlight.length, CONCURRENCY_PER_ENDPOINT + 1)
  for (const { end } of inFlight) end(answering(204))
  await pass(t, 50)
  assert.equal(inFlight.length, CONCURRENCY_PER_ENDPOINT * 2 + 1)
  for (const { end } of inFlight) end(answering(204))
  await webhookWorker[Symbol.asyncDispose]()
})

test('an endpoint that does not respond does not delay others', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = await open(0)
  await opened.addEndpoint({ ...ENDPOINT, id: 'e2' as EndpointId, url: 'https://other.test/' })
  for (let n = 0; n < 70; n += 1) await opened.enqueue(await opened.deliver())
  const { inFlight, transport } = controlledTransport()
  const webhookWorker = new WebhookWorker({ ...opened.webhookDeps, transport }, noFault)
  const others = () => inFlight.filter(({ request }) => request.url.startsWith('https://other.test'))
  for (let round = 0; round < 15; round += 1) {
    await pass(t, 50)
    for (const { end } of others()) end(answering(204))
  }
  assert.deepEqual([others().length, inFlight.length], [70, 70 + CONCURRENCY_PER_ENDPOINT])
  for (const { end } of inFlight) end(answering(204))
  await webhookWorker[Symbol.asyncDispose]()
})

test('never exceeds the total concurrency, across all endpoints', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = await open(0)
  for (let n = 0; n < 20; n += 1) await opened.addEndpoint({ ...ENDPOINT, id: `many-${n}` as EndpointId })
  for (let n = 0; n < 20; n += 1) await opened.enqueue(await opened.deliver())
  const { inFlight, transport } = controlledTransport()
  const webhookWorker = new WebhookWorker({ ...opened.webhookDeps, transport }, noFault)
  await pass(t)
  assert.equal(inFlight.length, CONCURRENCY)
  for (const { end } of inFlight) end(answering(204))
  await pass(t, 50)
  assert.ok(inFlight.length > CONCURRENCY)
  for (const { end } of inFlight) end(answering(204))
  await webhookWorker[Symbol.asyncDispose]()
})

test('disposing waits for deliveries in flight, and starts none afterwards', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = openWebhookWorld(world)
  await opened.addEndpoint()
  const id = await opened.deliver()
  await opened.enqueue(id)
  const { inFlight, transport } = controlledTransport()
  const webhookWorker = new WebhookWorker({ ...opened.webhookDeps, transport }, noFault)
  await pass(t)
  let isDisposed = false
  const disposing = webhookWorker[Symbol.asyncDispose]().then(() => {
    isDisposed = true
  })
  await pass(t)
  assert.deepEqual([isDisposed, inFlight.length], [false, 1])
  inFlight[0]?.end(answering(204))
  await disposing
  const { state, lastStatus } = await opened.deliveryOf(id)
  assert.deepEqual([inFlight.length, state, lastStatus], [1, 'pending', 204])
  assert.equal((await opened.takeWebhookDeliveries()).length, 1)
})

test('reports a fault, and polls again after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { webhookDeps, postedTypes } = await open(1)
  const faults: unknown[] = []
  const unavailable = new Unavailable('no log')
  let isUnavailable = true
  const read: typeof webhookDeps.log.read = (id) =>
    isUnavailable ? Promise.reject(unavailable) : webhookDeps.log.read(id)
  const log = { ...webhookDeps.log, read }
  await using _webhookWorker = new WebhookWorker({ ...webhookDeps, log }, (error) => faults.push(error))
  await pass(t, 900)
  assert.deepEqual(faults, [unavailable])
  await pass(t, 1_200)
  assert.deepEqual(faults, [unavailable, unavailable])
  isUnavailable = false
  await pass(t)
  assert.deepEqual([postedTypes(), faults.length], [['message.delivered'], 2])
})

test('retries an unavailable store after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { webhookDeps, postedTypes } = await open(1)
  const faults: unknown[] = []
  let isUnavailable = true
  const take: typeof webhookDeps.webhookDeliveries.take = (...args) =>
    isUnavailable ? Promise.reject(new Unavailable('no store')) : webhookDeps.webhookDeliveries.take(...args)
  const webhookDeliveries = { ...webhookDeps.webhookDeliveries, take }
  await using _webhookWorker = new WebhookWorker({ ...webhookDeps, webhookDeliveries }, (error) => faults.push(error))
  await pass(t, 900)
  assert.equal(faults.length, 1)
  isUnavailable = false
  await pass(t)
  assert.deepEqual([faults.length, postedTypes().length], [1, 1])
})

test('deletes all old webhook deliveries once a minute', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = await open(150)
  const { tenantId, accountId } = KEY
  const count = async () =>
    (await opened.webhookDeliveries.list({ tenantId, accountId, limit: 200 })).webhookDeliveries.length
  await using _webhookWorker = new WebhookWorker(opened.webhookDeps, noFault)
  for (let n = 0; n < 20; n += 1) await pass(t, 50)
  assert.equal(opened.requests.length, 150)
  opened.pass(DELIVERIES_KEPT_FOR)
  await opened.enqueue(await opened.deliver())
  await pass(t, 50_000)
  assert.equal(await count(), 151)
  await pass(t, 20_000)
  assert.equal(await count(), 1)
})
