/**
 * One keep-alive connection on a raw socket that carries one request at a time, and reads of the
 * answer only what a load generator must know: its status and where it ends.
 */
import { connect, type Socket } from 'node:net'
import { type Request, type RequestBytes, toBytes } from './request.ts'

export type ConnectionEvents = Readonly<{
  onAnswer: (connection: Connection, status: number) => void
  /** The connection is gone; `busy` tells whether a request went with it. */
  onBroken: (connection: Connection, busy: boolean) => void
  /** The server speaks in a way that cannot be measured. */
  onFault: (error: Error) => void
}>

const READ_BYTES = 64 * 1024
const END_OF_HEAD = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: *(\d+)/i

export class Connection {
  readonly port: number
  /** When the request under way was sent, or was meant to be. */
  since = 0
  readonly #socket: Socket
  readonly #requests: readonly RequestBytes[]
  readonly #events: ConnectionEvents
  #busy = false
  #head = ''
  #status = 0
  /** Bytes of the body still to come; undefined while the head is read. */
  #left: number | undefined

  private constructor(port: number, request: Request, events: ConnectionEvents, onOpen: (error?: Error) => void) {
    this.port = port
    this.#requests = toBytes(request)
    this.#events = events
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    const callback = (length: number): boolean => {
      this.#read(buffer, length)
      return true
    }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } }, () => {
      this.#socket.on('close', () => this.#events.onBroken(this, this.#busy))
      onOpen()
    })
    this.#socket.on('error', onOpen)
  }

  static open(port: number, request: Request, events: ConnectionEvents): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection: Connection = new Connection(port, request, events, (error) =>
        error === undefined ? resolve(connection) : reject(error),
      )
    })
  }

  /** The nth of all requests. Answers the last number used. The bytes are free again by the time their answer has come. */
  send(since: number, from: number, nth: number): number {
    const request = this.#requests[nth % this.#requests.length]
    if (request === undefined) throw new Error('there is nothing to send')
    const last = request.number(from)
    this.since = since
    this.#busy = true
    this.#socket.write(request.bytes)
    return last
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(buffer: Buffer, length: number): void {
    if (this.#left === undefined) this.#readHead(buffer.toString('latin1', 0, length))
    else this.#left -= length
    if (this.#left === undefined || this.#left > 0) return
    this.#left = undefined
    this.#head = ''
    this.#busy = false
    this.#events.onAnswer(this, this.#status)
  }

  #readHead(text: string): void {
    this.#head += text
    const end = this.#head.indexOf(END_OF_HEAD)
    if (end === -1) return
    const [, length] = LENGTH.exec(this.#head) ?? []
    if (length === undefined) {
      this.#events.onFault(new Error(`an answer without content-length: ${this.#head.slice(0, end)}`))
      return
    }
    this.#status = Number(this.#head.slice(9, 12))
    this.#left = Number(length) - (this.#head.length - end - END_OF_HEAD.length)
  }
}
