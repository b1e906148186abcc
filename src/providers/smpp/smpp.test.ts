import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSmppWorld, type SmppWorld } from '../../../test/support/smpp-world.ts'
import { toMessages } from '../../../test/support/smsc-messages.ts'
import { until } from '../../../test/support/until.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { instant } from '../../lib/time.ts'
import { someAttempt } from '../../ports/provider.contract.ts'

const THROTTLED = 0x58
const QUEUE_FULL = 0x14
const INVALID_NUMBER = 0x0b
const timeout = (): AbortSignal => AbortSignal.timeout(30_000)
const LONG = someAttempt({ segments: 2, content: { body: 'Seu codigo chegou. '.repeat(12) } })

const toWords = (outcome: SendOutcome): string =>
  [outcome.kind, 'blame' in outcome ? outcome.blame : '', 'code' in outcome ? outcome.code : '']
    .filter(Boolean)
    .join(' ')
const wordsOf = async ({ provider }: SmppWorld, attempt = someAttempt(), signal = timeout()): Promise<string> =>
  toWords(await provider.send(attempt, signal))
const read = ({ smsc }: SmppWorld, count: number) => until(`${count} submits`, () => smsc.submitted >= count)

describe('sending over SMPP', { timeout: 120_000 }, () => {
  test('accepts a message with the id that the SMSC assigned', async () => {
    await using world = await openSmppWorld()
    const attempt = someAttempt({ content: { from: 'Pombo' as never } })
    const outcome = await world.provider.send(attempt, timeout())
    assert.deepEqual(outcome, { kind: 'accepted', providerMessageId: world.smsc.submits[0]?.id })
    const fields = world.smsc.submits[0]?.fields
    assert.deepEqual(
      [fields?.destination_addr, fields?.dest_addr_ton, fields?.dest_addr_npi, fields?.registered_delivery],
      ['15551234567', 1, 1, 1],
    )
    assert.deepEqual([fields?.source_addr, fields?.source_addr_ton, fields?.source_addr_npi], ['Pombo', 5, 0])
  })

  test('waits for a slow answer', async () => {
    await using world = await openSmppWorld({ smsc: { latencyMs: 150 } })
    assert.equal(await wordsOf(world), 'accepted')
  })

  test('defers a message while no session is up', async () => {
    await using world = await openSmppWorld({}, 'down')
    assert.equal(await wordsOf(world), 'deferred NOT_CONNECTED')
    await world.smsc.start()
    await until('a session', () => world.provider.connections?.().up === 1)
    assert.equal(await wordsOf(world), 'accepted')
  })

  test('opens no session in a process that does not send', async () => {
    await using world = await openSmppWorld({ context: { sends: false } })
    assert.equal(await wordsOf(world), 'deferred NOT_CONNECTED')
    assert.deepEqual([world.provider.connections?.(), world.smsc.binds.length], [{ wanted: 0, up: 0 }, 0])
  })

  test('leaves the outcome unknown if the SMSC does not answer before the signal aborts', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hold')
    assert.equal(await wordsOf(world, someAttempt(), AbortSignal.timeout(100)), 'unknown TIMEOUT')
    assert.equal(world.smsc.submitted, 1)
  })

  test('leaves the outcome unknown after the response timeout', async () => {
    await using world = await openSmppWorld({ settings: { response_seconds: 0.3 } })
    world.smsc.react('hold')
    assert.equal(await wordsOf(world), 'unknown TIMEOUT')
  })

  test('leaves the outcome unknown if the connection is lost, and does not send again', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hang up')
    assert.equal(await wordsOf(world), 'unknown CONNECTION_LOST')
    await until('a new session', () => world.provider.connections?.().up === 1)
    assert.equal(world.smsc.submitted, 1)
  })

  test('reports a message as accepted after a late answer', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hold')
    const attempt = someAttempt()
    assert.equal(await wordsOf(world, attempt, AbortSignal.timeout(100)), 'unknown TIMEOUT')
    world.smsc.release()
    const receipt = await until('the receipt', () => world.receipts[0])
    assert.deepEqual([receipt.ref, receipt.state], [attempt.ref, 'accepted'])
    await world.smsc.report(receipt.providerMessageId)
    assert.equal(world.receipts.at(-1)?.state, 'delivered')
  })

  test('reports a message as accepted after the response timeout too', async () => {
    await using world = await openSmppWorld({ settings: { response_seconds: 0.3, enquire_seconds: 0.1 } })
    world.smsc.react((nth) => (nth === 1 ? 'hold' : 'take'))
    const sent = wordsOf(world)
    // Keeps the session alive.
    await until('the response timeout', async () => {
      world.smsc.sendPdu('enquire_link')
      return (await Promise.race([sent, undefined])) !== undefined
    })
    assert.equal(await sent, 'unknown TIMEOUT')
    world.smsc.release()
    assert.equal((await until('the receipt', () => world.receipts[0])).state, 'accepted')
  })

  test('submits a throttled part again after a pause', async () => {
    await using world = await openSmppWorld()
    world.smsc.react((nth) => (nth === 1 ? THROTTLED : nth === 2 ? QUEUE_FULL : 'take'))
    assert.equal(await wordsOf(world), 'accepted')
    const [first = 0, second = 0, third = 0] = world.smsc.submits.map(({ at }) => at)
    assert.ok(second - first >= 950 && third - second >= 950, `${second - first} ${third - second}`)
    assert.equal(toMessages(world.smsc.submits.slice(2).map(({ fields }) => fields)).length, 1)
  })

  test('defers a message that is throttled until the signal aborts', async () => {
    await using world = await openSmppWorld()
    world.smsc.react(THROTTLED)
    const controller = new AbortController()
    const sent = world.provider.send(someAttempt(), controller.signal)
    await read(world, 1)
    await world.smsc.drain()
    controller.abort()
    const outcome = await sent
    assert.deepEqual([toWords(outcome), 'retryAfter' in outcome && outcome.retryAfter], ['deferred RATE_LIMITED', 1000])
    world.smsc.react('take')
    assert.equal(await wordsOf(world), 'accepted')
    assert.equal(world.smsc.submitted, 2, 'the aborted message is not sent any more')
  })

  test('does not submit a part again that is throttled after the signal aborted', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hold')
    assert.equal(await wordsOf(world, someAttempt(), AbortSignal.timeout(100)), 'unknown TIMEOUT')
    world.smsc.react('take')
    world.smsc.release('forwards', THROTTLED)
    await world.smsc.drain()
    // It is queued behind the other one, so that one would have been sent by now.
    assert.equal(await wordsOf(world), 'accepted')
    assert.equal(world.smsc.submitted, 2)
    assert.deepEqual([world.receipts[0]?.state, world.receipts[0]?.code], ['refused', 'RATE_LIMITED'])
  })

  test('reports a message as refused after a late rejection', async () => {
    await using world = await openSmppWorld()
    world.smsc.react('hold')
    const attempt = someAttempt()
    assert.equal(await wordsOf(world, attempt, AbortSignal.timeout(100)), 'unknown TIMEOUT')
    world.smsc.release('forwards', INVALID_NUMBER)
    const { ref, state, code } = await until('the receipt', () => world.receipts[0])
    assert.deepEqual([ref, state, code], [attempt.ref, 'refused', 'INVALID_NUMBER'])
  })

  test('does not report a message as refused while the SMSC may have a part of it', async () => {
    await using world = await openSmppWorld()
    world.smsc.react((nth) => (nth === 1 ? 'take' : 'hold'))
    const long = someAttempt({ segments: 2, content: { body: 'Seu codigo chegou. '.repeat(12) } })
    const controller = new AbortController()
    const sent = wordsOf(world, long, controller.signal)
    await read(world, 2)
    await world.smsc.drain()
    controller.abort()
    assert.equal(await sent, 'unknown TIMEOUT')
    world.smsc.release('forwards', INVALID_NUMBER)
    await world.smsc.drain()
    assert.equal(await wordsOf(world, someAttempt(), AbortSignal.timeout(100)), 'unknown TIMEOUT')
    assert.deepEqual(world.receipts, [])
  })

  test('logs a late rejection that cannot be stored', async () => {
    const report = async (): Promise<never> => {
      throw new Error('the log is unavailable')
    }
    await using world = await openSmppWorld({ context: { report } })
    world.smsc.react('hold')
    assert.equal(await wordsOf(world, someAttempt(), AbortSignal.timeout(100)), 'unknown TIMEOUT')
    world.smsc.release('forwards', INVALID_NUMBER)
    await until('the warning', () => world.logs.some((line) => line.startsWith('warn: smpp: late rejection')))
  })

  for (const [status, words] of [
    [INVALID_NUMBER, 'rejected message INVALID_NUMBER'],
    [0x0a, 'rejected provider INVALID_SENDER_ID'],
    [0x08, 'deferred INTERNAL_ERROR'],
    [0x400, 'deferred SMPP_0X400'],
    [0x401, 'rejected message SMPP_0X401'],
    [0x402, 'rejected provider SMPP_0X402'],
  ] as const) {
    test(`status 0x${status.toString(16)} is ${words}`, async () => {
      await using world = await openSmppWorld({ settings: { statuses: { '0x0400': 'later', '1025': 'message' } } })
      world.smsc.react(status)
      assert.equal(await wordsOf(world), words)
    })
  }

  test('does not offer a partly accepted message to another provider', async () => {
    await using world = await openSmppWorld()
    world.smsc.react((nth) => (nth === 1 ? 'take' : INVALID_NUMBER))
    assert.equal(await wordsOf(world, LONG), 'rejected message PARTLY_REFUSED')
  })

  test('does not send the remaining parts after a rejection', async () => {
    await using world = await openSmppWorld({ settings: { window: 1 } })
    world.smsc.react(INVALID_NUMBER)
    assert.equal(await wordsOf(world, LONG), 'rejected message INVALID_NUMBER')
    assert.equal(world.smsc.submitted, 1)
  })

  test('leaves the message unknown if one part is', async () => {
    await using world = await openSmppWorld()
    world.smsc.react((nth) => (nth === 1 ? 'take' : 'hang up'))
    assert.equal(await wordsOf(world, LONG), 'unknown CONNECTION_LOST')
  })

  test('defers a message that waits for the window when the signal aborts', async () => {
    await using world = await openSmppWorld({ settings: { window: 1 } })
    world.smsc.react('hold')
    const first = wordsOf(world)
    await read(world, 1)
    assert.equal(await wordsOf(world, someAttempt(), AbortSignal.timeout(100)), 'deferred TIMEOUT')
    world.smsc.react('take')
    world.smsc.release()
    assert.equal(await first, 'accepted')
    assert.equal(await wordsOf(world), 'accepted')
    assert.equal(world.smsc.submitted, 2)
  })

  test('has no room while a part has waited long', async () => {
    await using world = await openSmppWorld({ settings: { window: 1 } })
    const hasRoom = () => world.provider.hasRoom?.()
    world.smsc.react('hold')
    const [first, second] = [wordsOf(world), wordsOf(world)]
    await read(world, 1)
    assert.equal(hasRoom(), true)
    await until('the second to have waited long', () => hasRoom() === false)
    world.smsc.react('take')
    world.smsc.release()
    assert.deepEqual(await Promise.all([first, second]), ['accepted', 'accepted'])
    assert.equal(hasRoom(), true)
  })

  test('defers queued messages when the last session ends', async () => {
    await using world = await openSmppWorld({ settings: { window: 1 } })
    world.smsc.react('hold')
    const first = wordsOf(world)
    await read(world, 1)
    const second = wordsOf(world)
    await world.smsc.stop()
    assert.deepEqual(await Promise.all([first, second]), ['unknown CONNECTION_LOST', 'deferred NOT_CONNECTED'])
  })

  test('sends nothing if the signal is already aborted', async () => {
    await using world = await openSmppWorld()
    assert.equal(await wordsOf(world, someAttempt(), AbortSignal.abort()), 'deferred ABORTED')
    assert.equal(world.smsc.submitted, 0)
  })

  test('sends the validity period, and nothing after the deadline', async () => {
    await using world = await openSmppWorld({ context: { clock: () => instant(1_000_000) } })
    await wordsOf(world, someAttempt({ expiresAt: instant(1_000_000 + 300_000) }))
    assert.equal(world.smsc.submits[0]?.fields.validity_period, '000000000500000R')
    assert.equal(await wordsOf(world, someAttempt({ expiresAt: instant(999_999) })), 'rejected message EXPIRED')
    assert.equal(world.smsc.submitted, 1)
  })

  test('accepts a message from an SMSC that returns no id', async () => {
    await using world = await openSmppWorld({ smsc: { ids: 'none' } })
    const attempt = someAttempt()
    const outcome = await world.provider.send(attempt, timeout())
    assert.deepEqual(outcome, { kind: 'accepted', providerMessageId: attempt.id })
  })

  test('keeps private data out of outcomes and logs', async () => {
    await using world = await openSmppWorld()
    world.smsc.react(INVALID_NUMBER)
    const attempt = someAttempt()
    const text = JSON.stringify([await world.provider.send(attempt, timeout()), world.logs])
    const { to, body } = attempt.content
    for (const secret of [to, to.slice(1), body, 'a-secret']) assert.ok(!text.includes(secret), text)
  })
})
