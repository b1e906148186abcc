import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { EndpointId } from '../domain/ids.ts'
import type { Carried } from '../domain/webhooks/retry-schedule.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openNoticeSigner } from '../engines/crypto/webhook-signer.ts'
import { openMemoryEngine } from '../engines/memory/memory.ts'
import { answering, KEY, openTelling } from '../flows/webhooks/deliver-webhook.fixture.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { NOTICES_KEPT_FOR } from '../ports/webhook-deliveries.ts'
import type { Courier, Parcel } from '../ports/webhook-transport.ts'
import { HANDS, HANDS_OF_ONE, Notifier } from './webhook-worker.ts'

const world = { openEngine: openMemoryEngine, ids: openIds(), signer: openNoticeSigner(Buffer.alloc(32, 1)) }
const noFault = (error: unknown): void => assert.fail(String(error))
const ENDPOINT = { events: ['message.delivered'] } as const
/** Longer than it rests, and than it pauses after a fault. */
const A_WHILE = 2_000

/** A courier whose ways end when the test says so. */
function roads() {
  const underWay: { parcel: Parcel; end: (carried: Carried) => void }[] = []
  const courier: Courier = {
    carry: (parcel) => {
      const { promise, resolve: end } = Promise.withResolvers<Carried>()
      underWay.push({ parcel, end })
      return promise
    },
  }
  return { underWay, courier }
}

/** A gateway with this many messages to tell an endpoint of. */
async function open(messages: number) {
  const telling = openTelling(world)
  await telling.addEndpoint(ENDPOINT)
  for (let n = 0; n < messages; n += 1) await telling.want(await telling.deliver())
  return telling
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
  const { telling, toldTypes, want, deliver } = await open(1)
  const notifier = new Notifier(telling, noFault)
  await pass(t)
  assert.deepEqual(toldTypes(), ['message.delivered'])
  await want(await deliver())
  await pass(t)
  assert.equal(toldTypes().length, 2)

  await notifier[Symbol.asyncDispose]()
  await want(await deliver())
  await pass(t)
  assert.equal(toldTypes().length, 2)
})

test('of one endpoint a few are told at once, and the next as soon as one is', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { telling } = await open(HANDS_OF_ONE * 2 + 4)
  const { underWay, courier } = roads()
  const notifier = new Notifier({ ...telling, courier }, noFault)
  await pass(t)
  assert.equal(underWay.length, HANDS_OF_ONE)
  underWay[3]?.end(answering(204))
  await pass(t, 50)
  assert.equal(underWay.length, HANDS_OF_ONE + 1)
  for (const { end } of underWay) end(answering(204))
  await pass(t, 50)
  assert.equal(underWay.length, HANDS_OF_ONE * 2 + 1)
  for (const { end } of underWay) end(answering(204))
  await notifier[Symbol.asyncDispose]()
})

test('an endpoint that does not answer holds up no other', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = await open(0)
  await opened.addEndpoint({ ...ENDPOINT, id: 'e2' as EndpointId, url: 'https://other.test/' })
  for (let n = 0; n < 70; n += 1) await opened.want(await opened.deliver())
  const { underWay, courier } = roads()
  const notifier = new Notifier({ ...opened.telling, courier }, noFault)
  const others = () => underWay.filter(({ parcel }) => parcel.url.startsWith('https://other.test'))
  for (let round = 0; round < 15; round += 1) {
    await pass(t, 50)
    for (const { end } of others()) end(answering(204))
  }
  assert.deepEqual([others().length, underWay.length], [70, 70 + HANDS_OF_ONE])
  for (const { end } of underWay) end(answering(204))
  await notifier[Symbol.asyncDispose]()
})

test('so many are told at once and no more, whoever they are for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = await open(0)
  for (let n = 0; n < 20; n += 1) await opened.addEndpoint({ ...ENDPOINT, id: `many-${n}` as EndpointId })
  for (let n = 0; n < 20; n += 1) await opened.want(await opened.deliver())
  const { underWay, courier } = roads()
  const notifier = new Notifier({ ...opened.telling, courier }, noFault)
  await pass(t)
  assert.equal(underWay.length, HANDS)
  for (const { end } of underWay) end(answering(204))
  await pass(t, 50)
  assert.ok(underWay.length > HANDS)
  for (const { end } of underWay) end(answering(204))
  await notifier[Symbol.asyncDispose]()
})

test('disposing waits for what is in hand, and tells nothing after it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = openTelling(world)
  await opened.addEndpoint()
  const id = await opened.deliver()
  await opened.want(id)
  const { underWay, courier } = roads()
  const notifier = new Notifier({ ...opened.telling, courier }, noFault)
  await pass(t)
  let isDisposed = false
  const disposing = notifier[Symbol.asyncDispose]().then(() => {
    isDisposed = true
  })
  await pass(t)
  assert.deepEqual([isDisposed, underWay.length], [false, 1])
  underWay[0]?.end(answering(204))
  await disposing
  const { state, lastStatus } = await opened.noticeOf(id)
  assert.deepEqual([underWay.length, state, lastStatus], [1, 'pending', 204])
  assert.equal((await opened.takeNotices()).length, 1)
})

test('a fault is told, and it looks again after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { telling, toldTypes } = await open(1)
  const faults: unknown[] = []
  const away = new Unavailable('no log')
  let isAway = true
  const read: typeof telling.log.read = (id) => (isAway ? Promise.reject(away) : telling.log.read(id))
  const log = { ...telling.log, read }
  await using _notifier = new Notifier({ ...telling, log }, (error) => faults.push(error))
  await pass(t, 900)
  assert.deepEqual(faults, [away])
  await pass(t, 1_200)
  assert.deepEqual(faults, [away, away])
  isAway = false
  await pass(t)
  assert.deepEqual([toldTypes(), faults.length], [['message.delivered'], 2])
})

test('a store that is away is asked again after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { telling, toldTypes } = await open(1)
  const faults: unknown[] = []
  let isAway = true
  const take: typeof telling.notices.take = (...args) =>
    isAway ? Promise.reject(new Unavailable('no store')) : telling.notices.take(...args)
  const notices = { ...telling.notices, take }
  await using _notifier = new Notifier({ ...telling, notices }, (error) => faults.push(error))
  await pass(t, 900)
  assert.equal(faults.length, 1)
  isAway = false
  await pass(t)
  assert.deepEqual([faults.length, toldTypes().length], [1, 1])
})

test('old notices are forgotten, all of them, once a minute', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opened = await open(150)
  const { tenantId, accountId } = KEY
  const count = async () => (await opened.notices.list({ tenantId, accountId, limit: 200 })).notices.length
  await using _notifier = new Notifier(opened.telling, noFault)
  for (let n = 0; n < 20; n += 1) await pass(t, 50)
  assert.equal(opened.parcels.length, 150)
  opened.pass(NOTICES_KEPT_FOR)
  await opened.want(await opened.deliver())
  await pass(t, 50_000)
  assert.equal(await count(), 151)
  await pass(t, 20_000)
  assert.equal(await count(), 1)
})
