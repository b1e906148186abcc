/** Every status of the table of SMPP, and every way to get none, through the adapter and a real socket. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Reaction } from '../../../test/support/fake-smsc.ts'
import { toWords } from '../../../test/support/http-answers.ts'
import { allUp, openSmppWorld } from '../../../test/support/smpp-world.ts'
import { until } from '../../../test/support/until.ts'
import { someAttempt } from '../../ports/provider.contract.ts'
import { SMPP_ERRORS } from './errors.ts'

const PROTOCOL = 'rejected provider PROTOCOL_ERROR'
const REJECTED = 'rejected message MESSAGE_REJECTED'
const LOGIN = 'rejected provider AUTHENTICATION_FAILED'
const ADDRESS_TYPE = 'rejected provider INVALID_ADDRESS_TYPE'
const NOT_ALLOWED = 'rejected provider NOT_ALLOWED'

const STATUSES: readonly (readonly [statuses: readonly number[], words: string])[] = [
  [[0x01, 0x02, 0x03, 0x06, 0x07], PROTOCOL],
  [[0x04], 'deferred NOT_BOUND'],
  [[0x05], 'deferred ALREADY_BOUND'],
  [[0x08], 'deferred INTERNAL_ERROR'],
  [[0x0a], 'rejected provider INVALID_SENDER_ID'],
  [[0x0b], 'rejected message INVALID_NUMBER'],
  [[0x0c, 0x11, 0x13, 0x54, 0x55, 0x65, 0x66], REJECTED],
  [[0x0d], 'deferred BIND_FAILED'],
  [[0x0e, 0x0f, 0x53], LOGIN],
  [[0x15], 'rejected provider INVALID_SERVICE_TYPE'],
  [[0x33, 0x34, 0x40, 0x42, 0x43, 0x44], PROTOCOL],
  [[0x45], 'deferred SUBMIT_FAILED'],
  [[0x48, 0x49, 0x50, 0x51], ADDRESS_TYPE],
  [[0x61, 0x62, 0x63, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4], PROTOCOL],
  [[0x64], 'deferred RECEIVER_ERROR'],
  [[0x67], 'deferred QUERY_FAILED'],
  [[0xfe], 'rejected message DELIVERY_FAILED'],
  [[0xff], 'deferred UNKNOWN_ERROR'],
  [[0x100, 0x101, 0x103], NOT_ALLOWED],
  [[0x102], 'deferred SERVICE_UNAVAILABLE'],
  [[0x104], 'rejected provider INVALID_DATA_CODING'],
  [[0x400], 'deferred SMPP_0X400'],
  [[0x401], 'rejected message SMPP_0X401'],
  [[0x402], 'rejected provider SMPP_0X402'],
]
/** Waited out and tried again within the call, as long as there is time. */
const THROTTLING = [0x14, 0x58]
/** Only what an operator says of them, and what nobody does. */
const OF_THE_SMSC = [0x400, 0x401, 0x402]

const TWO_PARTS = someAttempt({ segments: 2, content: { body: 'Seu codigo chegou. '.repeat(12) } })

describe('what an SMSC says means', { timeout: 60_000 }, async () => {
  const world = await openSmppWorld({ settings: { statuses: { '0x0400': 'later', '1025': 'message' } } })
  after(() => world[Symbol.asyncDispose]())
  const { smsc, provider } = world

  async function play(reaction: Reaction | ((nth: number) => Reaction), attempt = someAttempt()): Promise<string> {
    await until('a session on both sides', async () => (await allUp(provider)) && smsc.bound === 1)
    smsc.react(reaction)
    return toWords(await provider.send(attempt, AbortSignal.timeout(10_000)))
  }
  /** Gives up as soon as the SMSC has read it, and its answer was heard. */
  async function playImpatiently(reaction: Reaction | ((nth: number) => Reaction)): Promise<string> {
    await until('a session on both sides', async () => (await allUp(provider)) && smsc.bound === 1)
    const { submitted } = smsc
    smsc.react(reaction)
    const impatience = new AbortController()
    const outcome = provider.send(someAttempt(), impatience.signal)
    await until('the submit', () => smsc.submitted > submitted)
    await smsc.read()
    impatience.abort()
    return toWords(await outcome)
  }

  for (const [statuses, words] of STATUSES) {
    for (const status of statuses) {
      test(`${words} by 0x${status.toString(16)}`, async () => assert.equal(await play(status), words))
    }
  }
  test('every status of the table is in this one', () => {
    const played = [...STATUSES.flatMap(([statuses]) => statuses), ...THROTTLING]
    assert.deepEqual(new Set(played), new Set([...SMPP_ERRORS.keys(), ...OF_THE_SMSC]))
  })

  for (const [status, words] of [
    [0x02, PROTOCOL],
    [0x03, PROTOCOL],
    [0x08, 'deferred INTERNAL_ERROR'],
    [0x00, 'deferred UNKNOWN_ERROR'],
  ] as const) {
    test(`${words} by a generic_nack with 0x${status.toString(16)}`, async () => {
      assert.equal(await play({ nack: status }), words)
    })
  }

  test('unknown TIMEOUT by no answer, or by a generic_nack that does not say to what', async () => {
    assert.equal(await playImpatiently('hold'), 'unknown TIMEOUT')
    smsc.release()
    const nack = (): Reaction => {
      smsc.say('generic_nack', { command_status: 0x02 })
      return 'hold'
    }
    assert.equal(await playImpatiently(nack), 'unknown TIMEOUT')
    smsc.release()
  })

  test('unknown CONNECTION_LOST where it hangs up after the submit', async () => {
    assert.equal(await play('hang up'), 'unknown CONNECTION_LOST')
  })

  test('unknown PARTLY_SENT where it took one part and puts off the other', async () => {
    assert.equal(await play((nth) => (nth === 1 ? 'take' : 0x08), TWO_PARTS), 'unknown PARTLY_SENT')
    assert.equal(await play((nth) => (nth === 1 ? 0x08 : 'take'), TWO_PARTS), 'unknown PARTLY_SENT')
  })

  test('deferred where it puts off all parts', async () => {
    assert.equal(await play(0x08, TWO_PARTS), 'deferred INTERNAL_ERROR')
  })

  for (const status of THROTTLING) {
    test(`deferred RATE_LIMITED by 0x${status.toString(16)} until the time is up`, async () => {
      assert.equal(await playImpatiently(status), 'deferred RATE_LIMITED in 1000 ms')
    })
  }

  test('deferred NOT_CONNECTED where nothing listens', async () => {
    await smsc.stop()
    await until('the end of the session', () => provider.connections?.().up === 0)
    assert.equal(toWords(await provider.send(someAttempt(), AbortSignal.timeout(10_000))), 'deferred NOT_CONNECTED')
  })
})
