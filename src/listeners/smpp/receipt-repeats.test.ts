/** Which receipts are sent again, and which are not: long messages, little room, and stores that fail. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  ACCOUNT,
  DELIVERED,
  openWorld,
  REQUEST,
  sent,
  settled,
  type World,
} from '../../../test/support/receipt-world.ts'
import { until } from '../../../test/support/until.ts'
import { openPartSealer } from '../../engines/crypto/part-sealer.ts'
import { later, seconds } from '../../lib/time.ts'
import { NOON } from '../../ports/samples.contract.ts'
import type { Answer } from './outgoing.ts'
import { sealPart } from './parts.ts'

const REFUSED = 0x14
/** The part of each receipt, as its id ends: 1 for the first. */
const partsOf = ({ texts }: World): readonly string[] =>
  texts.map((text) => /^id:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-?(\d*) /.exec(text)?.[1] || '1')

test('the parts of a message follow each other where there is room for one', async () => {
  const world = await openWorld(() => 0, { window: 1 })
  await world.send(DELIVERED, { registered: [1, 1, 1] })
  await sent(world, 3)
  await settled(world)
  assert.deepEqual(
    [partsOf(world), world.results],
    [
      ['1', '2', '3'],
      ['taken', 'taken', 'taken'],
    ],
  )
})

test('a backlog of long messages is sent once each', async () => {
  const world = await openWorld(() => 0, { window: 3 })
  world.setBound(false)
  for (let count = 0; count < 12; count += 1) await world.send(DELIVERED, { registered: [1, 1, 1, 1] })
  world.setBound(true)
  await sent(world, 48)
  await settled(world)
  assert.deepEqual([world.texts.length, new Set(world.texts).size], [48, 48])
})

test('of a message with a part that is refused for now, only this part is sent again', async () => {
  const world = await openWorld((nth) => (nth === 2 ? REFUSED : 0))
  await world.send(DELIVERED, { registered: [1, 1, 1] })
  await sent(world, 3)
  await world.looked()
  world.pass(31_000)
  await sent(world, 4)
  await settled(world)
  assert.deepEqual(partsOf(world), ['1', '2', '3', '2'])
})

test('after a part without an answer the message goes on with it', async () => {
  const answers: readonly Answer[] = [0, undefined]
  const world = await openWorld((nth) => (nth > answers.length ? 0 : answers[nth - 1]))
  await world.send(DELIVERED, { registered: [1, 1, 1] })
  await sent(world, 2)
  await world.looked()
  world.pass(1_500)
  await sent(world, 4)
  await settled(world)
  assert.deepEqual(partsOf(world), ['1', '2', '2', '3'])
})

test('a part that was refused waits for half a minute, also where another was not answered', async () => {
  const answers: readonly Answer[] = [REFUSED, undefined]
  const world = await openWorld((nth) => (nth > answers.length ? 0 : answers[nth - 1]))
  await world.send(DELIVERED, { registered: [1, 1] })
  await sent(world, 2)
  await world.looked()
  world.pass(29_000)
  await world.looked()
  assert.deepEqual(partsOf(world), ['1', '2'])
  world.pass(2_000)
  await sent(world, 4)
  await settled(world)
  assert.deepEqual(partsOf(world), ['1', '2', '1', '2'])
})

test('a message waits for room while it is leased, and no longer', async () => {
  const released: number[] = []
  const noMoreRoom = (): Answer => {
    world.setWindow(0)
    return 0
  }
  const world: World = await openWorld(noMoreRoom, {
    window: 1,
    receiptDeliveries: { release: async (ids) => void released.push(ids.length) },
  })
  await world.send(DELIVERED, { registered: [1, 1] })
  await sent(world)
  assert.deepEqual(released, [])
  world.pass(31_000)
  await until('its release', () => released.length === 1)
  assert.deepEqual(world.results, ['taken'])
})

test('a part that waits for room gets it', async () => {
  const noRoomAfterTheFirst = (nth: number): Answer => {
    world.setWindow(nth === 1 ? 0 : 1)
    return 0
  }
  const world: World = await openWorld(noRoomAfterTheFirst, { window: 1 })
  await world.send(DELIVERED, { registered: [1, 1] })
  await sent(world)
  world.setWindow(1)
  await sent(world, 2)
  await settled(world)
  assert.deepEqual(
    [partsOf(world), world.results],
    [
      ['1', '2'],
      ['taken', 'taken'],
    ],
  )
})

test('of a message whose parts stayed alone, only the one that was refused is sent again', async () => {
  const world = await openWorld((nth) => (nth === 1 ? REFUSED : 0), { window: 1 })
  const sealer = openPartSealer(new Uint8Array(32))
  const { source, destination } = REQUEST
  for (const number of [1, 2, 3]) {
    const part = { octets: Buffer.from('part'), coding: 0, source, destination, registered: 1, expiresAt: undefined }
    const sealed = sealer.seal({ joint: 'joint', number }, sealPart({ ...part, lane: 'transactional' }))
    const key = { ...ACCOUNT, joint: 'joint', id: randomUUID(), number, total: 4, digest: `digest-${number}`, sealed }
    await world.partialMessages.add({ ...key, at: NOON, until: later(NOON, seconds(60)) })
  }
  world.pass(6_000)
  await sent(world, 3)
  await world.looked()
  world.pass(95_000)
  await until('its removal', () => world.warnings.length === 1)
  assert.deepEqual(partsOf(world), ['1', '2', '3', '1'])
})

test('a receipt that was taken is not sent again because it could not be recorded', async () => {
  let isDown = true
  const recorded: number[] = []
  const world: World = await openWorld(() => 0, {
    receiptDeliveries: {
      complete: async (done, at) => {
        if (isDown) throw new Error('the store is down')
        recorded.push(done.length)
        await world.receiptDeliveries.complete(done, at)
      },
    },
  })
  await world.send(DELIVERED)
  await sent(world)
  await until('three faults', () => world.faults.length >= 3)
  world.pass(91_000)
  isDown = false
  await until('its record', () => recorded.length > 0)
  await world.looked()
  await settled(world)
  assert.equal(world.texts.length, 1)
})

test('a lease outlasts the time for an answer', async () => {
  const world = await openWorld(() => 0, { answerWithin: 600 })
  await world.looked()
  assert.ok(world.leases.every((lease) => lease >= 600_000 + 30_000))
})

test('all that is too old is deleted, step by step', async () => {
  const steps = { messages: 0, receipts: 0 }
  const forget = (what: keyof typeof steps, last: number) => async () => {
    steps[what] += 1
    return steps[what] < last
  }
  const world = await openWorld(() => 0, {
    partialMessages: { forget: forget('messages', 5) },
    receiptDeliveries: { forget: forget('receipts', 4) },
  })
  await until('the last steps', () => steps.receipts === 4, { withinMs: 3_000 })
  await world.looked()
  assert.deepEqual([steps, world.faults], [{ messages: 5, receipts: 4 }, []])
})

test('deleting what is too old ends with the sender, and holds up no receipts', async () => {
  const world = await openWorld(() => 0, {
    receiptDeliveries: { forget: () => new Promise((resolve) => setImmediate(resolve, true)) },
  })
  await world.send(DELIVERED)
  await sent(world)
  await settled(world)
})
