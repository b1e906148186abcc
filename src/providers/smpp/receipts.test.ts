import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { memoryCarrierReferences } from '../../../test/memory/carrier-references.ts'
import { allUp, openSmppWorld, type SmppWorld } from '../../../test/support/smpp-world.ts'
import { toDelivery } from '../../../test/support/smsc-octets.ts'
import { until } from '../../../test/support/until.ts'
import type { CarrierReferences } from '../../ports/carrier-references.ts'
import { someAttempt } from '../../ports/provider.contract.ts'

const timeout = (): AbortSignal => AbortSignal.timeout(30_000)
/** The field `message_state`. */
const DELIVERED = [0x427, '\u0002'] as const
const LONG = { segments: 2, content: { body: 'Seu codigo chegou. '.repeat(12) } }

async function deliver({ provider }: SmppWorld, given = {}) {
  const attempt = someAttempt(given)
  const outcome = await provider.send(attempt, timeout())
  assert.ok(outcome.kind === 'accepted')
  return { ref: attempt.ref, id: outcome.providerMessageId }
}

/** A message that the SMSC has accepted but not answered yet. */
async function holdAnswer({ smsc, provider }: SmppWorld) {
  smsc.react('hold')
  const attempt = someAttempt()
  const sent = provider.send(attempt, timeout())
  const { id } = await until('the submit', () => smsc.submits[0])
  return { attempt, id, sent }
}

/** A store that is unavailable while `isDown`. */
function unreliableReferences(): CarrierReferences & { isDown: boolean } {
  const references = memoryCarrierReferences()
  const unreliable: CarrierReferences & { isDown: boolean } = {
    isDown: true,
    register: async (...given) =>
      unreliable.isDown ? Promise.reject(new Error('unavailable')) : references.register(...given),
    report: async (...given) =>
      unreliable.isDown ? Promise.reject(new Error('unavailable')) : references.report(...given),
  }
  return unreliable
}

describe('SMPP delivery receipts', { timeout: 120_000 }, () => {
  for (const receipts of ['tlv', 'text', 'both'] as const) {
    test(`find their message by ${receipts}`, async () => {
      await using world = await openSmppWorld({ smsc: { receipts } })
      const { ref, id } = await deliver(world)
      assert.equal(await world.smsc.report(world.smsc.submits[0]?.id ?? ''), 0)
      assert.deepEqual(world.receipts, [{ ref, providerMessageId: id, state: 'delivered', reportId: 'delivered' }])
    })
  }

  test('report why a message failed, without its text', async () => {
    await using world = await openSmppWorld()
    const { id } = await deliver(world)
    await world.smsc.report(id, 'UNDELIV')
    const [receipt] = world.receipts
    assert.deepEqual([receipt?.state, receipt?.reportId, receipt?.code], ['dropped', 'dropped', 'UNDELIVERABLE'])
    assert.ok(!JSON.stringify([receipt, world.logs]).includes('codigo'))
  })

  for (const ids of ['hex', 'decimal'] as const) {
    test(`match ids that are ${ids} in answers and in another base in receipts`, async () => {
      const message_ids = ids === 'hex' ? 'hex_then_decimal' : 'decimal_then_hex'
      await using world = await openSmppWorld({ smsc: { ids, otherBase: true }, settings: { message_ids } })
      const { ref } = await deliver(world)
      await world.smsc.report(world.smsc.submits[0]?.id ?? '')
      assert.deepEqual([world.receipts[0]?.ref, world.receipts[0]?.state], [ref, 'delivered'])
    })
  }

  for (const [what, toTlvs] of [
    ['without a NUL, before another field', (id: string) => [[0x1e, id], DELIVERED] as const],
    ['without a NUL, before a field of the same length', (id: string) => [[0x1e, id], [0x1d, id], DELIVERED] as const],
    ['without a NUL, at the end', (id: string) => [DELIVERED, [0x1e, id]] as const],
    ['with a NUL', (id: string) => [[0x1e, `${id}\0`], DELIVERED] as const],
    ['with octets after its NUL', (id: string) => [[0x1e, `${id}\0zz`], DELIVERED] as const],
  ] as const) {
    test(`read an id ${what} by its length`, async () => {
      await using world = await openSmppWorld()
      const { ref, id } = await deliver(world)
      world.smsc.writeRaw(toDelivery('', toTlvs(id)))
      await until('the answer', () => world.smsc.acknowledged.length === 1)
      assert.deepEqual(world.receipts, [{ ref, providerMessageId: id, state: 'delivered', reportId: 'delivered' }])
    })
  }

  const toText = (id: string): string => `id:${id} sub:001 dlvrd:001 stat:DELIVRD err:000 text:Seu codigo`

  for (const [what, toOctets] of [
    [
      'the text if that of the optional field is unknown',
      (id: string) => toDelivery(toText(id), [[0x1e, '99zz'], DELIVERED]),
    ],
    [
      'the optional field if that of the text is truncated',
      (id: string) => toDelivery(toText(id.slice(0, 2)), [[0x1e, id], DELIVERED]),
    ],
  ] as const) {
    test(`find their message by the id of ${what}`, async () => {
      await using world = await openSmppWorld()
      const { ref, id } = await deliver(world)
      world.smsc.writeRaw(toOctets(id))
      await until('the answer', () => world.smsc.acknowledged.length === 1)
      assert.deepEqual(world.receipts, [{ ref, providerMessageId: id, state: 'delivered', reportId: 'delivered' }])
    })
  }

  test('find their message by the id of the optional field before the answer too', async () => {
    await using world = await openSmppWorld()
    const { attempt, id, sent } = await holdAnswer(world)
    world.smsc.writeRaw(toDelivery(toText(id.slice(0, 2)), [[0x1e, id], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.equal(world.receipts.length, 0)
    world.smsc.release()
    await sent
    assert.deepEqual([world.receipts[0]?.ref, world.receipts[0]?.state], [attempt.ref, 'delivered'])
  })

  for (const [what, field] of [
    ['is unknown', '99zz'],
    ['is the same number in another base', undefined],
  ] as const) {
    test(`do not match a later message by the text if the optional field ${what}`, async () => {
      await using world = await openSmppWorld()
      const { id, sent } = await holdAnswer(world)
      world.smsc.writeRaw(toDelivery(toText(id), [[0x1e, field ?? Number(id).toString(16)], DELIVERED]))
      await until('the answer', () => world.smsc.acknowledged.length === 1)
      world.smsc.release()
      await sent
      assert.deepEqual(world.receipts, [])
    })
  }

  test('do not match another message by an id of the text in another base', async () => {
    await using world = await openSmppWorld()
    const { id } = await deliver(world)
    world.smsc.writeRaw(toDelivery(toText(id), [[0x1e, Number(id).toString(16)], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.deepEqual(world.receipts, [])
  })

  test('are not kept for the id of the optional field if the text matched', async () => {
    const references = memoryCarrierReferences()
    await using world = await openSmppWorld({ context: { carrierReferences: references } })
    const { id } = await deliver(world)
    world.smsc.writeRaw(toDelivery(toText(id), [[0x1e, '99zz'], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.equal(world.receipts.length, 1)
    assert.deepEqual(await references.register(world.provider.name, ['99zz'], someAttempt().ref), [undefined])
  })

  test('match an optional field in the base of answers and a text in the other base', async () => {
    await using world = await openSmppWorld({ smsc: { ids: 'hex' }, settings: { message_ids: 'hex_then_decimal' } })
    const { ref } = await deliver(world)
    const id = world.smsc.submits[0]?.id ?? ''
    world.smsc.writeRaw(toDelivery(toText(`${Number.parseInt(id, 16)}`), [[0x1e, id], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.deepEqual([world.receipts[0]?.ref, world.receipts[0]?.state], [ref, 'delivered'])
  })

  test('prefer the message of the optional field to that of the text', async () => {
    await using world = await openSmppWorld()
    const first = await deliver(world)
    const second = await deliver(world)
    world.smsc.writeRaw(toDelivery(toText(second.id), [[0x1e, first.id], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.deepEqual(
      world.receipts.map(({ ref }) => ref),
      [first.ref],
    )
  })

  test('report a message as delivered when all its parts are', async () => {
    await using world = await openSmppWorld({})
    const { ref, id } = await deliver(world, LONG)
    const [first = '', second = ''] = world.smsc.submits.map(({ id }) => id)
    await world.smsc.report(second)
    assert.deepEqual(world.receipts, [])
    await world.smsc.report(first)
    assert.deepEqual(world.receipts, [{ ref, providerMessageId: id, state: 'delivered', reportId: 'delivered' }])
    assert.equal(id, first)
  })

  test('are reported with the answer if they arrive before it', async () => {
    await using world = await openSmppWorld({ smsc: { receiptDelayMs: 0 } })
    const { ref, id } = await deliver(world)
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.deepEqual(world.receipts, [{ ref, providerMessageId: id, state: 'delivered', reportId: 'delivered' }])
    assert.deepEqual(world.smsc.acknowledged, [0])
  })

  test('have the same report id if they are duplicated', async () => {
    await using world = await openSmppWorld({ smsc: { receiptDelayMs: 1, receiptsTwice: true } })
    await deliver(world)
    await until('both', () => world.smsc.acknowledged.length === 2)
    const [first, ...others] = world.receipts
    assert.ok(first !== undefined)
    for (const other of others) assert.deepEqual(other, first)
  })

  test('may arrive over another session than that of the message', async () => {
    await using world = await openSmppWorld({
      settings: { binds: 2 },
      smsc: { receiptDelayMs: 1, receiptsElsewhere: true },
    })
    const { ref } = await deliver(world)
    assert.deepEqual((await until('the receipt', () => world.receipts[0])).ref, ref)
  })

  test('may arrive after a restart', async () => {
    await using world = await openSmppWorld()
    const { ref, id } = await deliver(world)
    await world.provider[Symbol.asyncDispose]()
    await using again = world.openAnother()
    await allUp(again)
    assert.equal(await world.smsc.report(id), 0)
    assert.deepEqual(world.receipts[0]?.ref, ref)
  })

  test('of unknown messages are kept and acknowledged', async () => {
    await using world = await openSmppWorld()
    assert.equal(await world.smsc.report('4711'), 0)
    assert.deepEqual(world.receipts, [])
  })

  test('that cannot be stored are requested again', async () => {
    let failures = 2
    const stored: string[] = []
    await using world = await openSmppWorld({
      context: {
        report: async ({ state }) => {
          failures -= 1
          if (failures >= 0) throw new Error('the log is unavailable')
          stored.push(state)
        },
      },
    })
    const { id } = await deliver(world)
    assert.equal(await world.smsc.report(id), 0x64)
    await until('the answers', () => world.smsc.acknowledged.length === 3)
    assert.equal(stored.length, 1)
    assert.deepEqual(world.smsc.acknowledged, [0x64, 0x64, 0])
    assert.equal(world.logs.filter((line) => line.includes('cannot be stored')).length, 1)
  })

  test('of messages whose ids cannot be stored are matched once they are', async () => {
    const references = unreliableReferences()
    await using world = await openSmppWorld({ context: { carrierReferences: references } })
    const { ref, id } = await deliver(world)
    await deliver(world)
    assert.equal(world.logs.filter((line) => line.includes('carrier references')).length, 1)
    references.isDown = false
    assert.equal(await world.smsc.report(id), 0)
    assert.deepEqual((await until('the receipt', () => world.receipts[0])).ref, ref)
    await until('the recovery', () => world.logs.some((line) => line.startsWith('info: smpp: carrier references')))
  })

  test('a store that does not answer does not delay a send beyond its signal', async () => {
    const silent = { ...memoryCarrierReferences(), register: () => new Promise<never>(() => undefined) }
    await using world = await openSmppWorld({ context: { carrierReferences: silent } })
    const controller = new AbortController()
    const sent = world.provider.send(someAttempt(), controller.signal)
    await until('the submit', () => world.smsc.submitted === 1)
    await world.smsc.drain()
    controller.abort()
    assert.equal((await sent).kind, 'accepted')
  })

  test('messages from phones are acknowledged and logged once', async () => {
    await using world = await openSmppWorld()
    for (const _ of [1, 2]) world.smsc.sendPdu('deliver_sm', { short_message: Buffer.from('stop bothering me') })
    await until('the answers', () => world.smsc.acknowledged.length === 2)
    assert.deepEqual(world.smsc.acknowledged, [0, 0])
    assert.deepEqual([world.logs.length, world.receipts.length], [2, 0])
    assert.ok(!world.logs.join().includes('bothering'))
  })

  test('unreadable ones are acknowledged and logged without their text', async () => {
    await using world = await openSmppWorld()
    world.smsc.sendPdu('deliver_sm', { esm_class: 4, short_message: Buffer.from('delivered to +15551234567') })
    // An optional field without its value.
    world.smsc.writeRaw(Buffer.from('0000002000000005000000000000270f00000000000004000000000000000427', 'hex'))
    await until('the answers', () => world.smsc.acknowledged.length === 2)
    assert.deepEqual(world.smsc.acknowledged, [0, 0])
    assert.ok(world.logs.some((line) => line.includes('unreadable')) && !world.logs.join().includes('555'))
    assert.equal((await deliver(world)).id.length > 0, true)
  })
})
