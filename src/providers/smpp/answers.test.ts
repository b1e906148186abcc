/** Every SMPP status of the table and every missing answer, through the provider and a real socket. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Reaction } from '../../../test/support/fake-smsc.ts'
import { describeOutcome } from '../../../test/support/http-answers.ts'
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
/** Submitted again within the same call. */
const THROTTLING = [0x14, 0x58]
/** Specific to the SMSC: two with an override and one without. */
const VENDOR_STATUSES = [0x400, 0x401, 0x402]

const TWO_PARTS = someAttempt({ segments: 2, content: { body: 'Seu codigo chegou. '.repeat(12) } })

describe('answers of an SMSC', { timeout: 60_000 }, async () => {
  const world = await openSmppWorld({ settings: { statuses: { '0x0400': 'later', '1025': 'message' } } })
  after(() => world[Symbol.asyncDispose]())
  const { smsc, provider } = world

  async function play(reaction: Reaction | ((nth: number) => Reaction), attempt = someAttempt()): Promise<string> {
    await until('a session on both sides', async () => (await allUp(provider)) && smsc.bound === 1)
    smsc.react(reaction)
    return describeOutcome(await provider.send(attempt, AbortSignal.timeout(10_000)))
  }
  /** Aborts once the SMSC has read the submit and we have read its answer. */
  async function playAndAbort(reaction: Reaction | ((nth: number) => Reaction)): Promise<string> {
    await until('a session on both sides', async () => (await allUp(provider)) && smsc.bound === 1)
    const { submitted } = smsc
    smsc.react(reaction)
    const controller = new AbortController()
    const outcome = provider.send(someAttempt(), controller.signal)
    await until('the submit', () => smsc.submitted > submitted)
    await smsc.drain()
    controller.abort()
    return describeOutcome(await outcome)
  }

  for (const [statuses, words] of STATUSES) {
    for (const status of statuses) {
      test(`0x${status.toString(16)}: ${words}`, async () => assert.equal(await play(status), words))
    }
  }
  test('an error keeps the status of the SMSC', async () => {
    await until('a session on both sides', async () => (await allUp(provider)) && smsc.bound === 1)
    smsc.react(0x0b)
    const outcome = await provider.send(someAttempt(), AbortSignal.timeout(10_000))
    assert.equal('originalCode' in outcome && outcome.originalCode, '0xb')
  })
  test('the statuses above are those of the table', () => {
    const played = [...STATUSES.flatMap(([statuses]) => statuses), ...THROTTLING]
    assert.deepEqual(new Set(played), new Set([...SMPP_ERRORS.keys(), ...VENDOR_STATUSES]))
  })

  for (const [status, words] of [
    [0x02, PROTOCOL],
    [0x03, PROTOCOL],
    [0x08, 'deferred INTERNAL_ERROR'],
    [0x00, 'deferred UNKNOWN_ERROR'],
  ] as const) {
    test(`generic_nack with 0x${status.toString(16)}: ${words}`, async () => {
      assert.equal(await play({ nack: status }), words)
    })
  }

  test('no answer, or a generic_nack without our sequence number: unknown TIMEOUT', async () => {
    assert.equal(await playAndAbort('hold'), 'unknown TIMEOUT')
    smsc.release()
    const nack = (): Reaction => {
      smsc.sendPdu('generic_nack', { command_status: 0x02 })
      return 'hold'
    }
    assert.equal(await playAndAbort(nack), 'unknown TIMEOUT')
    smsc.release()
  })

  test('connection closed after the submit: unknown CONNECTION_LOST', async () => {
    assert.equal(await play('hang up'), 'unknown CONNECTION_LOST')
  })

  test('one part accepted, the other deferred: unknown PARTLY_SENT', async () => {
    assert.equal(await play((nth) => (nth === 1 ? 'take' : 0x08), TWO_PARTS), 'unknown PARTLY_SENT')
    assert.equal(await play((nth) => (nth === 1 ? 0x08 : 'take'), TWO_PARTS), 'unknown PARTLY_SENT')
  })

  test('all parts deferred: deferred', async () => {
    assert.equal(await play(0x08, TWO_PARTS), 'deferred INTERNAL_ERROR')
  })

  for (const status of THROTTLING) {
    test(`0x${status.toString(16)} until the signal aborts: deferred RATE_LIMITED`, async () => {
      assert.equal(await playAndAbort(status), 'deferred RATE_LIMITED in 1000 ms')
    })
  }

  test('no SMSC: deferred NOT_CONNECTED', async () => {
    await smsc.stop()
    await until('the end of the session', () => provider.connections?.().up === 0)
    assert.equal(
      describeOutcome(await provider.send(someAttempt(), AbortSignal.timeout(10_000))),
      'deferred NOT_CONNECTED',
    )
  })
})
