import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { projectAll } from '../../../test/support/project.ts'
import { ACCOUNT, DELIVERED, openWorld, REQUEST, sent, settled } from '../../../test/support/receipt-world.ts'
import { until } from '../../../test/support/until.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openPartSealer } from '../../engines/crypto/part-sealer.ts'
import { later, seconds } from '../../lib/time.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  delivered,
  NOON,
  nextEntry,
  someMessage,
} from '../../ports/samples.contract.ts'
import type { Answer } from './outgoing.ts'
import { sealPart } from './parts.ts'

test('a receipt is sent once and recorded', async () => {
  const world = await openWorld()
  const id = await world.send(DELIVERED)
  await sent(world)
  assert.match(world.texts[0] ?? '', new RegExp(`^id:${id} .*stat:DELIVRD`))
  await settled(world)
  assert.deepEqual([world.texts.length, world.results, world.faults], [1, ['taken'], []])
})

test('each part that wants one gets its own, and a message that was sent to many names the first', async () => {
  const world = await openWorld()
  await world.send(DELIVERED, { registered: [1, 0, 1], id: 'the-first' })
  await sent(world, 2)
  assert.deepEqual(world.texts.map((text) => text.split(' ', 1)[0]).toSorted(), ['id:the-first', 'id:the-first-3'])
  await settled(world)
})

test('who wants only failures is told of no success, and nothing is owed any more', async () => {
  const world = await openWorld()
  await world.send(DELIVERED, { registered: [2] })
  const id = await world.send([ATTEMPTED, DEAD], { registered: [2] })
  await sent(world)
  await settled(world)
  assert.deepEqual(
    world.texts.map((text) => text.slice(3, 39)),
    [id],
  )
})

test('an intermediate notification comes once, and the receipt after it', async () => {
  const world = await openWorld()
  const id = await world.send([ATTEMPTED, ACCEPTED], { registered: [0x11] }, 'all')
  await sent(world)
  const latest = await world.log.latest(id)
  assert.ok(latest !== undefined)
  const accepted = await append(world.log, nextEntry(latest, { kind: 'ProviderAccepted', reportId: 'r0' }))
  await projectAll(world)
  await world.looked()
  await append(world.log, nextEntry(accepted, delivered()))
  await projectAll(world)
  await sent(world, 2)
  await settled(world)
  assert.deepEqual(world.kinds, [0x20, 0x04])
})

test('a receipt that is refused for now is sent again after half a minute, one without an answer after a second', async () => {
  const answers: readonly Answer[] = [0x14, undefined, 0]
  const world = await openWorld((nth) => answers[nth - 1])
  await world.send(DELIVERED)
  await sent(world)
  world.pass(29_000)
  await world.looked()
  assert.deepEqual(world.results, ['refused'])
  world.pass(2_000)
  await sent(world, 2)
  world.pass(1_500)
  await sent(world, 3)
  assert.deepEqual(world.results, ['refused', 'unanswered', 'taken'])
  await settled(world)
})

test('a receipt that is refused for good is not sent again', async () => {
  const world = await openWorld(() => 0x65)
  await world.send(DELIVERED)
  await sent(world)
  await settled(world)
})

test('without a receiver receipts wait', async () => {
  const world = await openWorld()
  world.setBound(false)
  await world.send(DELIVERED)
  world.setBound(true)
  await sent(world)
  await settled(world)
})

test('an erased message is not told of', async () => {
  const world = await openWorld()
  world.setBound(false)
  const id = await world.send(DELIVERED)
  await world.log.shred(id)
  await world.send(DELIVERED)
  world.setBound(true)
  await sent(world)
  await settled(world)
  assert.ok(world.texts.every((text) => !text.includes(id)))
})

test('parts that stay alone are told of as expired, unless their message was accepted', async () => {
  const world = await openWorld()
  const sealer = openPartSealer(new Uint8Array(32))
  const add = (joint: string, registered: number) => {
    const { source, destination } = REQUEST
    const part = { octets: Buffer.from('part'), coding: 0, source, destination, registered, expiresAt: undefined }
    const sealed = sealer.seal({ joint, number: 2 }, sealPart({ ...part, lane: 'transactional' }))
    const key = { ...ACCOUNT, joint, id: randomUUID(), number: 2, total: 3, digest: joint, sealed }
    return world.partialMessages.add({ ...key, at: NOON, until: later(NOON, seconds(60)) })
  }
  const { id } = await add('wanted', 1)
  await add('unwanted', 0)
  const accepted = await add('accepted', 1)
  const key = { ...ACCOUNT, namespace: 'messages', key: `smpp parts ${accepted.id}`, generation: 0 } as const
  await append(world.log, createdEntry(someMessage({ id: openIds().keyedMessageId(key) })))
  world.pass(6_000)
  await sent(world)
  await until('their removal', () => world.warnings.length === 2)
  const named = openIds().keyedMessageId({ ...key, key: `smpp parts ${id}` }) as MessageId
  assert.match(world.texts.join(), new RegExp(`^id:${named}-2 .*stat:EXPIRED err:002`))
  assert.equal(world.texts.length, 1)
})
