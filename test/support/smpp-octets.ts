/** SMPP as octets: for clients that write what no library would, and for optional parameters of our own. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Received, Session } from 'smpp'
import { smppPackage } from '../../src/providers/smpp/pdu.ts'
import { type Random, randomInteger } from './random.ts'
import type { SmppFields } from './smpp-client.ts'

const { PDU } = smppPackage()
const HEAD = 16

/** A PDU of the package with an optional parameter that it does not know. */
export function withOptional(
  command: string,
  fields: SmppFields,
  tag: number,
  value: string,
): Parameters<Session['send']>[0] {
  const pdu = new PDU(command, fields)
  const encode = pdu.toBuffer.bind(pdu)
  const head = Buffer.alloc(4)
  head.writeUInt16BE(tag, 0)
  head.writeUInt16BE(value.length, 2)
  pdu.toBuffer = () => {
    const octets = Buffer.concat([encode(), head, Buffer.from(value, 'latin1')])
    octets.writeUInt32BE(octets.length, 0)
    return octets
  }
  return pdu
}

/** A part of a message, with a user data header. */
export const withHeader = (reference: number, total: number, number: number, octets: Uint8Array): SmppFields => ({
  esm_class: 0x40,
  short_message: Buffer.concat([Buffer.of(5, 0, 3, reference, total, number), octets]),
})

const COMMANDS = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x15, 0x21, 0x103, 0x111, 0x80000000, 0x80000004,
]
/** These end a session by right. */
const UNBIND = 0x06

/** A PDU that is wrong in one way or another, with a length that is right: the stream stays readable. */
export function hostilePdu(random: Random, valid: Buffer): Buffer {
  const pick = (most: number): number => randomInteger(random, 0, most)
  const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => pick(255)))
  const kinds = [
    // Any command with any body.
    () => Buffer.concat([headOf(COMMANDS[pick(COMMANDS.length - 1)] ?? 0), noise(pick(300))]),
    // A command that nobody knows.
    () => Buffer.concat([headOf(randomInteger(random, 0, 0x7fffffff)), noise(pick(40))]),
    // A valid request with octets changed, cut off, or with more behind it.
    () => {
      const octets = Buffer.from(valid)
      for (let times = pick(8); times >= 0; times -= 1) octets[HEAD + pick(octets.length - HEAD - 1)] = pick(255)
      return octets
    },
    () => Buffer.from(valid.subarray(0, HEAD + pick(valid.length - HEAD))),
    () => Buffer.concat([valid, noise(1 + pick(60))]),
    // Texts that never end.
    () => Buffer.concat([headOf(0x04), Buffer.alloc(pick(2_000), 0x41)]),
    // A count of destinations that is not there.
    () => Buffer.concat([headOf(0x21), Buffer.of(0, 1, 1, 0, 255), noise(pick(200))]),
  ]
  const octets = kinds[pick(kinds.length - 1)]?.() ?? Buffer.alloc(HEAD)
  octets.writeUInt32BE(octets.length, 0)
  if (octets.readUInt32BE(4) === UNBIND) octets.writeUInt32BE(0x15, 4)
  octets.writeUInt32BE(1 + pick(0x7ffffffe), 12)
  return octets
}

function headOf(command: number): Buffer {
  const head = Buffer.alloc(HEAD)
  head.writeUInt32BE(command, 4)
  return head
}

/** A connection of octets, and everything that came back. */
export async function openSocket(port: number): Promise<Readonly<{ socket: Socket; received: () => Buffer }>> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => void chunks.push(chunk))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return { socket, received: () => Buffer.concat(chunks) }
}

export const toOctets = (command: string, fields: SmppFields, sequence = 1): Buffer =>
  new PDU(command, { ...fields, sequence_number: sequence }).toBuffer()

export type { Received }
