import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allUp, openSmppWorld, type SmppWorld } from '../../../test/support/smpp-world.ts'
import { toDelivery } from '../../../test/support/smsc-octets.ts'
import { until } from '../../../test/support/until.ts'
import { memoryCarrierReferences } from '../../engines/memory/carrier-references.ts'
import type { CarrierReferences } from '../../ports/carrier-references.ts'
import { someAttempt } from '../../ports/provider.contract.ts'

const PATIENT = (): AbortSignal => AbortSignal.timeout(30_000)
/** The field `message_state`. */
const DELIVERED = [0x427, '\u0002'] as const
const LONG = { segments: 2, content: { body: 'Seu codigo chegou. '.repeat(12) } }

async function deliver({ provider }: SmppWorld, given = {}) {
  const attempt = someAttempt(given)
  const outcome = await provider.send(attempt, PATIENT())
  assert.ok(outcome.kind === 'accepted')
  return { ref: attempt.ref, name: outcome.providerMessageId }
}

/** A message that the SMSC has named, and has not answered yet. */
async function holdAnswer({ smsc, provider }: SmppWorld) {
  smsc.react('hold')
  const attempt = someAttempt()
  const sent = provider.send(attempt, PATIENT())
  const { id } = await until('the submit', () => smsc.submits[0])
  return { attempt, id, sent }
}

/** A book that is away until it is told to come. */
function fitfulBook(): CarrierReferences & { isAway: boolean } {
  const book = memoryCarrierReferences()
  const fitful: CarrierReferences & { isAway: boolean } = {
    isAway: true,
    register: async (...given) => (fitful.isAway ? Promise.reject(new Error('away')) : book.register(...given)),
    report: async (...given) => (fitful.isAway ? Promise.reject(new Error('away')) : book.report(...given)),
  }
  return fitful
}

describe('receipts of an SMSC', { timeout: 120_000 }, () => {
  for (const receipts of ['tlv', 'text', 'both'] as const) {
    test(`by ${receipts} they find the message they are about`, async () => {
      await using world = await openSmppWorld({ smsc: { receipts } })
      const { ref, name } = await deliver(world)
      assert.equal(await world.smsc.report(world.smsc.submits[0]?.id ?? ''), 0)
      assert.deepEqual(world.receipts, [{ ref, providerMessageId: name, state: 'delivered', reportId: 'delivered' }])
    })
  }

  test('one of a message that is lost says why, and nothing of its text', async () => {
    await using world = await openSmppWorld()
    const { name } = await deliver(world)
    await world.smsc.report(name, 'UNDELIV')
    const [receipt] = world.receipts
    assert.deepEqual([receipt?.state, receipt?.reportId, receipt?.code], ['dropped', 'dropped', 'UNDELIVERABLE'])
    assert.ok(!JSON.stringify([receipt, world.told]).includes('codigo'))
  })

  for (const ids of ['hex', 'decimal'] as const) {
    test(`ids that are ${ids} in answers and otherwise in receipts are the same`, async () => {
      const message_ids = ids === 'hex' ? 'hex_then_decimal' : 'decimal_then_hex'
      await using world = await openSmppWorld({ smsc: { ids, otherBase: true }, settings: { message_ids } })
      const { ref } = await deliver(world)
      await world.smsc.report(world.smsc.submits[0]?.id ?? '')
      assert.deepEqual([world.receipts[0]?.ref, world.receipts[0]?.state], [ref, 'delivered'])
    })
  }

  for (const [what, toTlvs] of [
    ['without a NUL, before another field', (id: string) => [[0x1e, id], DELIVERED] as const],
    ['without a NUL, before a field of its own length', (id: string) => [[0x1e, id], [0x1d, id], DELIVERED] as const],
    ['without a NUL, at the end', (id: string) => [DELIVERED, [0x1e, id]] as const],
    ['with a NUL', (id: string) => [[0x1e, `${id}\0`], DELIVERED] as const],
    ['with octets after its NUL', (id: string) => [[0x1e, `${id}\0zz`], DELIVERED] as const],
  ] as const) {
    test(`an id ${what} is as long as it says`, async () => {
      await using world = await openSmppWorld()
      const { ref, name } = await deliver(world)
      world.smsc.babble(toDelivery('', toTlvs(name)))
      await until('the answer', () => world.smsc.acknowledged.length === 1)
      assert.deepEqual(world.receipts, [{ ref, providerMessageId: name, state: 'delivered', reportId: 'delivered' }])
    })
  }

  const toText = (id: string): string => `id:${id} sub:001 dlvrd:001 stat:DELIVRD err:000 text:Seu codigo`

  for (const [what, toOctets] of [
    [
      'the text, where that of the optional field is nobody’s',
      (id: string) => toDelivery(toText(id), [[0x1e, '99zz'], DELIVERED]),
    ],
    [
      'the optional field, where that of the text is cut short',
      (id: string) => toDelivery(toText(id.slice(0, 2)), [[0x1e, id], DELIVERED]),
    ],
  ] as const) {
    test(`they are known by the id of ${what}`, async () => {
      await using world = await openSmppWorld()
      const { ref, name } = await deliver(world)
      world.smsc.babble(toOctets(name))
      await until('the answer', () => world.smsc.acknowledged.length === 1)
      assert.deepEqual(world.receipts, [{ ref, providerMessageId: name, state: 'delivered', reportId: 'delivered' }])
    })
  }

  test('also before the answer, by the id of the optional field', async () => {
    await using world = await openSmppWorld()
    const { attempt, id, sent } = await holdAnswer(world)
    world.smsc.babble(toDelivery(toText(id.slice(0, 2)), [[0x1e, id], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.equal(world.receipts.length, 0)
    world.smsc.release()
    await sent
    assert.deepEqual([world.receipts[0]?.ref, world.receipts[0]?.state], [attempt.ref, 'delivered'])
  })

  for (const [what, field] of [
    ['is nobody’s', '99zz'],
    ['is the same number in another base', undefined],
  ] as const) {
    test(`a message that is named later is not that of a text whose optional field ${what}`, async () => {
      await using world = await openSmppWorld()
      const { id, sent } = await holdAnswer(world)
      world.smsc.babble(toDelivery(toText(id), [[0x1e, field ?? Number(id).toString(16)], DELIVERED]))
      await until('the answer', () => world.smsc.acknowledged.length === 1)
      world.smsc.release()
      await sent
      assert.deepEqual(world.receipts, [])
    })
  }

  test('the id of the text in another base than the optional field does not name another message', async () => {
    await using world = await openSmppWorld()
    const { name } = await deliver(world)
    world.smsc.babble(toDelivery(toText(name), [[0x1e, Number(name).toString(16)], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.deepEqual(world.receipts, [])
  })

  test('one that was found by its text is not kept for the id of its optional field', async () => {
    const book = memoryCarrierReferences()
    await using world = await openSmppWorld({ place: { receipts: book } })
    const { name } = await deliver(world)
    world.smsc.babble(toDelivery(toText(name), [[0x1e, '99zz'], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.equal(world.receipts.length, 1)
    assert.deepEqual(await book.register(world.provider.name, ['99zz'], someAttempt().ref), [undefined])
  })

  test('an optional field in the base of answers and a text in the other are one id', async () => {
    await using world = await openSmppWorld({ smsc: { ids: 'hex' }, settings: { message_ids: 'hex_then_decimal' } })
    const { ref } = await deliver(world)
    const id = world.smsc.submits[0]?.id ?? ''
    world.smsc.babble(toDelivery(toText(`${Number.parseInt(id, 16)}`), [[0x1e, id], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.deepEqual([world.receipts[0]?.ref, world.receipts[0]?.state], [ref, 'delivered'])
  })

  test('one whose optional field is of a message and whose text is of another is of the former', async () => {
    await using world = await openSmppWorld()
    const first = await deliver(world)
    const second = await deliver(world)
    world.smsc.babble(toDelivery(toText(second.name), [[0x1e, first.name], DELIVERED]))
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.deepEqual(
      world.receipts.map(({ ref }) => ref),
      [first.ref],
    )
  })

  test('a message has arrived when all of its parts have', async () => {
    await using world = await openSmppWorld({})
    const { ref, name } = await deliver(world, LONG)
    const [first = '', second = ''] = world.smsc.submits.map(({ id }) => id)
    await world.smsc.report(second)
    assert.deepEqual(world.receipts, [])
    await world.smsc.report(first)
    assert.deepEqual(world.receipts, [{ ref, providerMessageId: name, state: 'delivered', reportId: 'delivered' }])
    assert.equal(name, first)
  })

  test('one that comes before the answer it belongs to is passed on with it', async () => {
    await using world = await openSmppWorld({ smsc: { receiptDelayMs: 0 } })
    const { ref, name } = await deliver(world)
    await until('the answer', () => world.smsc.acknowledged.length === 1)
    assert.deepEqual(world.receipts, [{ ref, providerMessageId: name, state: 'delivered', reportId: 'delivered' }])
    assert.deepEqual(world.smsc.acknowledged, [0])
  })

  test('doubled ones are the same report', async () => {
    await using world = await openSmppWorld({ smsc: { receiptDelayMs: 1, receiptsTwice: true } })
    await deliver(world)
    await until('both', () => world.smsc.acknowledged.length === 2)
    const [first, ...others] = world.receipts
    assert.ok(first !== undefined)
    for (const other of others) assert.deepEqual(other, first)
  })

  test('they may come on another session than the message went by', async () => {
    await using world = await openSmppWorld({
      settings: { binds: 2 },
      smsc: { receiptDelayMs: 1, receiptsElsewhere: true },
    })
    const { ref } = await deliver(world)
    assert.deepEqual((await until('the receipt', () => world.receipts[0])).ref, ref)
  })

  test('they may come after a restart', async () => {
    await using world = await openSmppWorld()
    const { ref, name } = await deliver(world)
    await world.provider[Symbol.asyncDispose]()
    await using again = world.another()
    await allUp(again)
    assert.equal(await world.smsc.report(name), 0)
    assert.deepEqual(world.receipts[0]?.ref, ref)
  })

  test('one that nobody knows is kept and answered', async () => {
    await using world = await openSmppWorld()
    assert.equal(await world.smsc.report('4711'), 0)
    assert.deepEqual(world.receipts, [])
  })

  test('one that cannot be stored is asked for again', async () => {
    let failures = 2
    const stored: string[] = []
    await using world = await openSmppWorld({
      place: {
        report: async ({ state }) => {
          failures -= 1
          if (failures >= 0) throw new Error('the log is away')
          stored.push(state)
        },
      },
    })
    const { name } = await deliver(world)
    assert.equal(await world.smsc.report(name), 0x64)
    await until('the answers', () => world.smsc.acknowledged.length === 3)
    assert.equal(stored.length, 1)
    assert.deepEqual(world.smsc.acknowledged, [0x64, 0x64, 0])
    assert.equal(world.told.filter((line) => line.includes('cannot be stored')).length, 1)
  })

  test('a message is accepted while its names cannot be stored, and they are when they can', async () => {
    const book = fitfulBook()
    await using world = await openSmppWorld({ place: { receipts: book } })
    const { ref, name } = await deliver(world)
    await deliver(world)
    assert.equal(world.told.filter((line) => line.includes('names')).length, 1)
    book.isAway = false
    assert.equal(await world.smsc.report(name), 0)
    assert.deepEqual((await until('the receipt', () => world.receipts[0])).ref, ref)
    await until('the good news', () => world.told.some((line) => line.startsWith('info: the names')))
  })

  test('a book that does not answer holds nobody up longer than his patience', async () => {
    const silent = { ...memoryCarrierReferences(), name: () => new Promise<never>(() => undefined) }
    await using world = await openSmppWorld({ place: { receipts: silent } })
    const impatience = new AbortController()
    const sent = world.provider.send(someAttempt(), impatience.signal)
    await until('the submit', () => world.smsc.submitted === 1)
    await world.smsc.read()
    impatience.abort()
    assert.equal((await sent).kind, 'accepted')
  })

  test('what a phone writes is answered, and told once', async () => {
    await using world = await openSmppWorld()
    for (const _ of [1, 2]) world.smsc.say('deliver_sm', { short_message: Buffer.from('stop bothering me') })
    await until('the answers', () => world.smsc.acknowledged.length === 2)
    assert.deepEqual(world.smsc.acknowledged, [0, 0])
    assert.deepEqual([world.told.length, world.receipts.length], [2, 0])
    assert.ok(!world.told.join().includes('bothering'))
  })

  test('what cannot be read is answered, and told without what it says', async () => {
    await using world = await openSmppWorld()
    world.smsc.say('deliver_sm', { esm_class: 4, short_message: Buffer.from('delivered to +15551234567') })
    // A field that says it is there and is not.
    world.smsc.babble(Buffer.from('0000002000000005000000000000270f00000000000004000000000000000427', 'hex'))
    await until('the answers', () => world.smsc.acknowledged.length === 2)
    assert.deepEqual(world.smsc.acknowledged, [0, 0])
    assert.ok(world.told.some((line) => line.includes('cannot be read')) && !world.told.join().includes('555'))
    assert.equal((await deliver(world)).name.length > 0, true)
  })
})
