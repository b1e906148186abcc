/**
 * One connection of a client, as PDUs. What is written in one turn of the event loop travels together. While `isFull` holds,
 * nothing is read: a client that does not wait for answers waits for TCP.
 */
import type { Socket } from 'node:net'
import { BAD_LENGTH, FrameReader } from '../../lib/frame-reader.ts'
import { HEAD_OCTETS, MAX_OCTETS } from './pdu.ts'

export type ConnectionEvents = Readonly<{
  onPdu: (frame: Buffer) => void
  /** The stream cannot be read any further. */
  onBadLength: () => void
  /** Called once. */
  onClose: () => void
  isFull: () => boolean
}>

/** How long what was written last may take to leave. */
const END_MS = 1_000
/** A client that does not read its answers: more of them would only take memory. */
const MOST_UNSENT = 1024 * 1024

export class Connection {
  readonly #socket: Socket
  readonly #events: ConnectionEvents
  readonly #frames = new FrameReader({ min: HEAD_OCTETS, max: MAX_OCTETS })
  #isCorked = false
  #isOver = false
  #isReading = false
  #ending: NodeJS.Timeout | undefined

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket
    this.#events = events
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      if (this.#isOver) return
      this.#frames.push(chunk)
      this.read()
    })
    // Its reason is of no use: 'close' follows.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#isOver = true
      clearTimeout(this.#ending)
      events.onClose()
    })
  }

  /** Of the client; empty once it is gone. */
  get address(): string {
    return this.#socket.remoteAddress ?? ''
  }

  write(pdu: Buffer): void {
    if (this.#isOver) return
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      process.nextTick(() => {
        this.#isCorked = false
        this.#socket.uncork()
      })
    }
    this.#socket.write(pdu)
    if (this.#socket.writableLength > MOST_UNSENT) this.destroy()
  }

  /** Reads on, as far as there is room. */
  read(): void {
    if (this.#isReading) return
    this.#isReading = true
    while (!this.#isOver && !this.#events.isFull()) {
      const frame = this.#frames.next()
      if (frame === undefined) break
      if (frame === BAD_LENGTH) this.#events.onBadLength()
      else this.#events.onPdu(frame)
    }
    this.#isReading = false
    if (this.#events.isFull()) this.#socket.pause()
    else this.#socket.resume()
  }

  /** Closes once everything written has left, or after a moment. What still arrives until then is dropped. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    // Not the timeout of the socket: a client that writes on would put that off.
    this.#ending = setTimeout(() => this.#socket.destroy(), END_MS)
    this.#ending.unref()
    this.#socket.end(() => this.#socket.destroy())
  }

  destroy(): void {
    this.#isOver = true
    this.#socket.destroy()
  }
}
