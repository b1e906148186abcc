/**
 * One connection to an SMSC, on which PDUs come and go. Whoever names a length that no PDU has cannot be
 * followed any further: it is told so, and the connection ends.
 */
import { type Socket, connect as toPlain } from 'node:net'
import { connect as toSecure } from 'node:tls'
import { type Fields, HEAD_OCTETS, MOST_OCTETS, type Pdu, toOctets, toPdu } from './pdu.ts'

export type Address = Readonly<{ host: string; port: number; tls?: boolean; ca?: string }>

export type Ears = Readonly<{
  open: () => void
  hear: (pdu: Pdu) => void
  /** Said once, also where it never opened; with what Node calls the reason, where it knows one. */
  closed: (reason: string) => void
}>

const INVALID_LENGTH = 0x02
const LEAVE_MS = 1_000

export class Link {
  readonly #socket: Socket
  readonly #ears: Ears
  /** Of a PDU that has not come whole yet. */
  #begun: Buffer = Buffer.alloc(0)
  #isCorked = false
  #isOver = false

  constructor({ host, port, tls = false, ca }: Address, ears: Ears) {
    const certificates = ca === undefined ? {} : { ca }
    this.#socket = tls ? toSecure({ host, port, ...certificates }) : toPlain({ host, port })
    this.#ears = ears
    // Otherwise each answer to a receipt waits for the other side to confirm the one before.
    this.#socket.setNoDelay(true)
    this.#socket.once(tls ? 'secureConnect' : 'connect', ears.open)
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk))
    let reason = 'CLOSED'
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      reason = error.code ?? reason
    })
    this.#socket.once('close', () => ears.closed(reason))
  }

  /** What is said in one turn of the loop leaves in one go. */
  say(command: string, sequence: number, status?: number, fields?: Fields): void {
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      process.nextTick(() => {
        this.#isCorked = false
        this.#socket.uncork()
      })
    }
    this.#socket.write(toOctets(command, sequence, status, fields))
  }

  /** Lets what was said leave, if the other side takes it, and hears no more. */
  end(): void {
    this.#isOver = true
    this.#socket.setTimeout(LEAVE_MS, () => this.#socket.destroy())
    this.#socket.end(() => this.#socket.destroy())
  }

  destroy(): void {
    this.#isOver = true
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#isOver) return
    const octets = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    let at = 0
    while (octets.length - at >= HEAD_OCTETS && !this.#isOver) {
      const length = octets.readUInt32BE(at)
      if (length < HEAD_OCTETS || length > MOST_OCTETS) {
        this.say('generic_nack', 0, INVALID_LENGTH)
        this.end()
        return
      }
      if (octets.length - at < length) break
      this.#ears.hear(toPdu(octets.subarray(at, at + length)))
      at += length
    }
    this.#begun = octets.subarray(at)
  }
}
