/**
 * Encodes messages as frames of the NATS client protocol, one after another in one buffer, so that all messages of one
 * turn of the event loop are handed over in one piece. Bytes that were handed over are never written again, because
 * the socket may still hold them: a full buffer is left to the garbage collector.
 */
import type { Headers, Payload } from './connection.ts'
import type { RawOutput } from './driver-internals.ts'

export type Frame = Readonly<{
  subject: string
  payload: Payload
  reply?: string | undefined
  headers?: Headers | undefined
}>

const BUFFER_BYTES = 64 * 1024
const CR = 13
const LF = 10
/** The most bytes that one UTF-16 unit takes in UTF-8. */
const WIDEST = 3

const SPACE = /[ \t\r\n]/
const LINE_BREAK = /[\r\n]/
const NOT_IN_A_NAME = /[^!-9;-~]/

export class FrameWriter {
  readonly #output: RawOutput
  #buffer = Buffer.alloc(0)
  /** What lies between these two was written, but not handed over. */
  #begin = 0
  #end = 0

  constructor(output: RawOutput) {
    this.#output = output
  }

  /** Throws if the message is invalid or larger than `maxBytes`, and then writes nothing of it. */
  write(frame: Frame, maxBytes: number): void {
    const { payload } = frame
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length
    const head = toHead(frame, bytes, maxBytes)
    this.#reserve(head.length * WIDEST + bytes + 2)
    const buffer = this.#buffer
    let end = this.#end + buffer.write(head, this.#end)
    if (typeof payload === 'string') buffer.write(payload, end)
    else buffer.set(payload, end)
    end += bytes
    buffer[end] = CR
    buffer[end + 1] = LF
    this.#end = end + 2
  }

  /** Hands over everything written since the last time. */
  flush(): void {
    if (this.#begin === this.#end) return
    this.#output(this.#buffer.subarray(this.#begin, this.#end))
    this.#begin = this.#end
  }

  /** Forgets what was not handed over. */
  drop(): void {
    this.#end = this.#begin
  }

  #reserve(bytes: number): void {
    if (this.#buffer.length - this.#end >= bytes) return
    this.flush()
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(BUFFER_BYTES, bytes))
    this.#begin = 0
    this.#end = 0
  }
}

/** Everything before the payload. */
function toHead({ subject, reply, headers }: Frame, payloadBytes: number, maxBytes: number): string {
  if (subject === '' || SPACE.test(subject)) throw new Error(`not a subject: '${subject}'`)
  const addresses = reply === undefined ? subject : `${subject} ${reply}`
  const block = headers === undefined ? '' : toHeaderBlock(headers)
  const headerBytes = Buffer.byteLength(block)
  const total = headerBytes + payloadBytes
  if (total > maxBytes) throw new Error(`a message of ${total} bytes, and NATS accepts ${maxBytes}`)
  return block === '' ? `PUB ${addresses} ${total}\r\n` : `HPUB ${addresses} ${headerBytes} ${total}\r\n${block}`
}

function toHeaderBlock(headers: Headers): string {
  let lines = 'NATS/1.0\r\n'
  for (const name in headers) {
    const value = headers[name]
    if (NOT_IN_A_NAME.test(name)) throw new Error(`not a header name: '${name}'`)
    if (typeof value === 'string' && LINE_BREAK.test(value)) throw new Error(`a line break in header ${name}`)
    lines += `${name}: ${value}\r\n`
  }
  return `${lines}\r\n`
}
