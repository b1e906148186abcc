/**
 * One connection to an SMSC, as a stream of PDUs. After an invalid length the stream cannot be decoded, so we answer
 * with generic_nack and close the connection.
 */
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { BAD_LENGTH, FrameReader } from '../../lib/frame-reader.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Fields, HEAD_OCTETS, MAX_OCTETS, type Pdu, toOctets, toPdu } from './pdu.ts'

export type Address = Readonly<{ host: string; port: number; tls?: boolean; ca?: string }>

export type LinkEvents = Readonly<{
  onOpen: () => void
  onPdu: (pdu: Pdu) => void
  /** Called once, also if the link never opened, with Node's error code or `CLOSED`. */
  onClose: (reason: string) => void
}>

const INVALID_LENGTH = 0x02
const END_MS = 1_000

export class Link {
  readonly #socket: Socket
  readonly #events: LinkEvents
  readonly #frames = new FrameReader({ min: HEAD_OCTETS, max: MAX_OCTETS })
  #isCorked = false
  #isOver = false
  #ending: NodeJS.Timeout | undefined

  constructor({ host, port, tls = false, ca }: Address, events: LinkEvents) {
    this.#socket = tls ? connectTls(omitUndefined({ host, port, ca })) : connectTcp({ host, port })
    this.#events = events
    // Otherwise each answer waits for the acknowledgement of the previous one (Nagle).
    this.#socket.setNoDelay(true)
    this.#socket.once(tls ? 'secureConnect' : 'connect', events.onOpen)
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk))
    let reason = 'CLOSED'
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      reason = error.code ?? reason
    })
    this.#socket.once('close', () => {
      this.#isOver = true
      clearTimeout(this.#ending)
      events.onClose(reason)
    })
  }

  /** PDUs written in one event-loop turn are sent together. */
  write(command: string, sequence: number, status?: number, fields?: Fields): void {
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

  /** Flushes what was written, for a moment at most. What still arrives until then is dropped. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    // Not the timeout of the socket: an SMSC that writes on would put that off.
    this.#ending = setTimeout(() => this.#socket.destroy(), END_MS)
    this.#ending.unref()
    this.#socket.end(() => this.#socket.destroy())
  }

  destroy(): void {
    this.#isOver = true
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#isOver) return
    this.#frames.push(chunk)
    while (!this.#isOver) {
      const frame = this.#frames.next()
      if (frame === undefined) return
      if (frame === BAD_LENGTH) {
        this.write('generic_nack', 0, INVALID_LENGTH)
        this.end()
      } else this.#events.onPdu(toPdu(frame))
    }
  }
}
