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
/** Longer than it rests, and than it pauses after a fault. */
const A_WHILE = 2_000

/** A transport whose ways end when the test says so. */
function roads() {
  const underWay: { parcel: WebhookRequest; end: (carried: WebhookResponse) => void }[] = []
  const transport: WebhookTransport = {
    post: (parcel) => {
      const { promise, resolve: end } = Promise.withResolvers<WebhookResponse>()
      underWay.push({ parcel, end })
      return promise
    },
  }
  return { underWay, transport }
}

/** A gateway with this many messages to tell an endpoint of. */
async function open(messages: number) {
  const opened = openWebhookWorld(world)
  await opened.addEndpoint(ENDPOINT)
  for (let n = 0; n < messages; n += 1) await opened.enqueue(await opened.deliver())
  return opened
}

/** Lets everything happen that time or an answer sets off. */
async function pass(t: { mock: { timers: { tick: (ms: number) => void } } }, ms = A_WHILE): Promise<void> {
  for (const part of [ms / 2, ms / 2]) {
    t.mock.timers.tick(part)
    for (let n = 0; n < 20; n += 1) await setImmediate()
  }
}

test('what is due is told, and what becomes due later when its time has come', async (t) => {
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

test('of one endpoint a few are told at once, and the next as soon as one is', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { webhookDeps } = await open(CONCURRENCY_PER_ENDPOINT * 2 + 4)
  const { underWay, transport } = roads()
  const webhookWorker = new WebhookWorker({ ...webhookDeps, transport }, noFault)
  await pass(t)
  assert.equal(underWay.length, CONCURRENCY_PER_ENDPOINT)
  underWay[3]?.end(answering(204))
  await pass(t, 50)
  assert.equal(underWay.length, CONCURRENCY_PER_ENDPOINT + 1)
  for (const { end } of underWay) end(answering(204))
  await pass(t, 50)
  assert.equal(underWay.length, CONCURRENCY_PER_ENDPOINT * 2 + 1)
  for (const { end } of underWay) end(answering(204))
  await webhookWorker[Symbol.asyncDispose]()
})

test('an endpoint that does not answer holds up no other', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = await open(0)
  await opened.addEndpoint({ ...ENDPOINT, id: 'e2' as EndpointId, url: 'https://other.test/' })
  for (let n = 0; n < 70; n += 1) await opened.enqueue(await opened.deliver())
  const { underWay, transport } = roads()
  const webhookWorker = new WebhookWorker({ ...opened.webhookDeps, transport }, noFault)
  const others = () => underWay.filter(({ parcel }) => parcel.url.startsWith('https://other.test'))
  for (let round = 0; round < 15; round += 1) {
    await pass(t, 50)
    for (const { end } of others()) end(answering(204))
  }
  assert.deepEqual([others().length, underWay.length], [70, 70 + CONCURRENCY_PER_ENDPOINT])
  for (const { end } of underWay) end(answering(204))
  await webhookWorker[Symbol.asyncDispose]()
})

test('so many are told at once and no more, whoever they are for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = await open(0)
  for (let n = 0; n < 20; n += 1) await opened.addEndpoint({ ...ENDPOINT, id: `many-${n}` as EndpointId })
  for (let n = 0; n < 20; n += 1) await opened.enqueue(await opened.deliver())
  const { underWay, transport } = roads()
  const webhookWorker = new WebhookWorker({ ...opened.webhookDeps, transport }, noFault)
  await pass(t)
  assert.equal(underWay.length, CONCURRENCY)
  for (const { end } of underWay) end(answering(204))
  await pass(t, 50)
  assert.ok(underWay.length > CONCURRENCY)
  for (const { end } of underWay) end(answering(204))
  await webhookWorker[Symbol.asyncDispose]()
})

test('disposing waits for what is in hand, and tells nothing after it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = openWebhookWorld(world)
  await opened.addEndpoint()
  const id = await opened.deliver()
  await opened.enqueue(id)
  const { underWay, transport } = roads()
  const webhookWorker = new WebhookWorker({ ...opened.webhookDeps, transport }, noFault)
  await pass(t)
  let isDisposed = false
  const disposing = webhookWorker[Symbol.asyncDispose]().then(() => {
    isDisposed = true
  })
  await pass(t)
  assert.deepEqual([isDisposed, underWay.length], [false, 1])
  underWay[0]?.end(answering(204))
  await disposing
  const { state, lastStatus } = await opened.deliveryOf(id)
  assert.deepEqual([underWay.length, state, lastStatus], [1, 'pending', 204])
  assert.equal((await opened.takeWebhookDeliveries()).length, 1)
})

test('a fault is told, and it looks again after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { webhookDeps, postedTypes } = await open(1)
  const faults: unknown[] = []
  const away = new Unavailable('no log')
  let isAway = true
  const read: typeof webhookDeps.log.read = (id) => (isAway ? Promise.reject(away) : webhookDeps.log.read(id))
  const log = { ...webhookDeps.log, read }
  await using _webhookWorker = new WebhookWorker({ ...webhookDeps, log }, (error) => faults.push(error))
  await pass(t, 900)
  assert.deepEqual(faults, [away])
  await pass(t, 1_200)
  assert.deepEqual(faults, [away, away])
  isAway = false
  await pass(t)
  assert.deepEqual([postedTypes(), faults.length], [['message.delivered'], 2])
})

test('a store that is away is asked again after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { webhookDeps, postedTypes } = await open(1)
  const faults: unknown[] = []
  let isAway = true
  const take: typeof webhookDeps.webhookDeliveries.take = (...args) =>
    isAway ? Promise.reject(new Unavailable('no store')) : webhookDeps.webhookDeliveries.take(...args)
  const webhookDeliveries = { ...webhookDeps.webhookDeliveries, take }
  await using _webhookWorker = new WebhookWorker({ ...webhookDeps, webhookDeliveries }, (error) => faults.push(error))
  await pass(t, 900)
  assert.equal(faults.length, 1)
  isAway = false
  await pass(t)
  assert.deepEqual([faults.length, postedTypes().length], [1, 1])
})

test('old webhook deliveries are forgotten, all of them, once a minute', async (t) => {
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
