/** Clients that mean harm, or whose programmers erred: no PDU takes the listener down, nor a session that is not its own. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { randomInteger, seededRandom } from '../support/random.ts'
import { bindClient, type SmppLogin, toSubmit } from '../support/smpp-client.ts'
import { hostilePdu, openSocket, toOctets, withOptional } from '../support/smpp-octets.ts'
import { freshNumber } from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { Pair } from './api-keys.contract.ts'

const PDUS = 1_000
const SEED = 20_260_131
const ENQUIRE_LINK = 0x15
const RESPONSE = 0x80000000

export function smppHostileContract({ one }: Pair, login: SmppLogin, port: number): void {
  /** Whether an answer with this sequence number came back. */
  const hasAnswer = (octets: Buffer, command: number, sequence: number): boolean => {
    for (let at = 0; at + 16 <= octets.length; at += octets.readUInt32BE(at)) {
      if (octets.readUInt32BE(at + 4) === RESPONSE + command && octets.readUInt32BE(at + 12) === sequence) return true
    }
    return false
  }

  describe('hostile clients', () => {
    test(`${PDUS} hostile PDUs, and the session still answers`, async () => {
      await using bystander = await bindClient({ port, ...login })
      const random = seededRandom(SEED)
      const valid = toOctets('submit_sm', toSubmit('+15550000000', 'A text of some length.'))
      const { socket, received } = await openSocket(port)
      socket.write(toOctets('bind_transceiver', { ...login, interface_version: 0x34 }))
      for (let sent = 0; sent < PDUS; ) {
        const pdus = Array.from({ length: Math.min(20, PDUS - sent) }, () => hostilePdu(random, valid))
        sent += pdus.length
        const stream = Buffer.concat(pdus)
        // Cut anywhere.
        const cut = randomInteger(random, 0, stream.length)
        socket.write(stream.subarray(0, cut))
        socket.write(stream.subarray(cut))
      }
      const last = 0x7fff_ffff
      socket.write(toOctets('enquire_link', {}, last))
      await until('the last answer', () => hasAnswer(received(), ENQUIRE_LINK, last))
      socket.destroy()
      await bystander.submit(freshNumber(), 'still here')
      assert.doesNotMatch(one.err(), /unexpected error/)
    })

    for (const length of [0, 15, 0x0010_0000, 0xffff_ffff]) {
      test(`a length of ${length} is nacked, and the connection closed`, async () => {
        const { socket, received } = await openSocket(port)
        const head = Buffer.alloc(16)
        head.writeUInt32BE(length, 0)
        socket.write(head)
        await once(socket, 'close')
        assert.deepEqual([received().readUInt32BE(4), received().readUInt32BE(8)], [RESPONSE, 0x02])
      })
    }

    test('an unknown command is nacked', async () => {
      const { socket, received } = await openSocket(port)
      const head = Buffer.from(toOctets('enquire_link', {}, 7))
      head.writeUInt32BE(0x7777, 4)
      socket.write(head)
      await until('the nack', () => received().length >= 16)
      assert.deepEqual(
        [4, 8, 12].map((at) => received().readUInt32BE(at)),
        [RESPONSE, 0x03, 7],
      )
      socket.destroy()
    })

    test('somebody who does not bind is hung up on', async () => {
      const { socket } = await openSocket(port)
      socket.resume()
      await once(socket, 'close', { signal: AbortSignal.timeout(10_000) })
    })

    test('our idempotency key makes a submit safe to repeat', async () => {
      await using client = await bindClient({ port, ...login })
      const key = `order-${freshNumber()}`
      const fields = toSubmit(freshNumber(), 'Once only.')
      const first = await client.sendPdu(withOptional('submit_sm', fields, 0x1400, key))
      const again = await client.sendPdu(withOptional('submit_sm', fields, 0x1400, key))
      const other = await client.sendPdu(withOptional('submit_sm', toSubmit(freshNumber(), 'Another.'), 0x1400, key))
      assert.deepEqual([first.command_status, again['message_id']], [0, first['message_id']])
      assert.equal(other.command_status, 0x45)
    })
  })
}
