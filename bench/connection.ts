/**
 * A keep-alive connection on a raw socket with one request at a time. Of each response it reads only the status and the
 * length.
 */
import { connect, type Socket } from 'node:net'
import { type Request, type RequestBytes, toBytes } from './request.ts'

export type ConnectionEvents = Readonly<{
  onAnswer: (connection: Connection, status: number) => void
  /** The connection is closed; `busy` is true if a request was lost with it. */
  onBroken: (connection: Connection, busy: boolean) => void
  /** The response cannot be parsed. */
  onFault: (error: Error) => void
}>

const READ_BYTES = 64 * 1024
const END_OF_HEAD = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: *(\d+)/i

export class Connection {
  readonly port: number
  /** When the current request was sent, or should have been. */
  since = 0
  readonly #socket: Socket
  readonly #requests: readonly RequestBytes[]
  readonly #events: ConnectionEvents
  #busy = false
  #head = ''
  #status = 0
  /** Bytes of the body that are still missing; undefined while reading the head. */
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

  /** Sends the nth request and returns the last number used. Its bytes can be reused once it is answered. */
  send(since: number, from: number, nth: number): number {
    const request = this.#requests[nth % this.#requests.length]
    if (request === undefined) throw new Error('there is no request to send')
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
      this.#events.onFault(new Error(`response without content-length: ${this.#head.slice(0, end)}`))
      return
    }
    this.#status = Number(this.#head.slice(9, 12))
    this.#left = Number(length) - (this.#head.length - end - END_OF_HEAD.length)
  }
}
