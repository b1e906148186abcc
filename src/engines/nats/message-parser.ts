/**
 * Reads whole messages out of what the broker sends, ahead of the driver's parser, which looks at each byte of their
 * first line several times. Whatever else it meets (INFO, PING, an error, a message that is cut off) goes to the
 * driver's parser with the rest of the piece.
 */

/** As the driver describes a message to itself: `hdr` is the length of its headers, -1 without. */
export type MessageArgs = Readonly<{
  sid: number
  hdr: number
  size: number
  subject: Uint8Array
  reply: Uint8Array | undefined
}>
export type MessageEvent = Readonly<{ kind: typeof MESSAGE; msg: MessageArgs; data: Uint8Array }>

/** The driver's parser; its state is zero between two commands. */
export type DriverParser = { readonly state: number; parse(piece: Uint8Array): void }

const MESSAGE = 2
const SPACE = 0x20
const CR = 0x0d
const LF = 0x0a
const ZERO = 0x30
const H = 0x48
const M = 0x4d
const MOST_FIELDS = 5
/** As in the driver. */
const MOST_DIGITS = 15

export class MessageParser implements DriverParser {
  readonly #driver: DriverParser
  readonly #push: (event: MessageEvent) => void
  /** Where each field of the current line begins, and after the last one where the next would. */
  readonly #fields = new Int32Array(MOST_FIELDS + 1)

  constructor(driver: DriverParser, push: (event: MessageEvent) => void) {
    this.#driver = driver
    this.#push = push
  }

  get state(): number {
    return this.#driver.state
  }

  parse(piece: Uint8Array): void {
    let at = 0
    while (this.#driver.state === 0 && at < piece.length) {
      const next = this.#readMessage(piece, at)
      if (next === undefined) break
      at = next
    }
    if (at < piece.length) this.#driver.parse(piece.subarray(at))
  }

  /**
   * Reads `MSG subject sid [reply] size` or `HMSG subject sid [reply] headers size`, and the data that follows. Returns
   * where the next command begins; undefined if no whole message is at `at`.
   */
  #readMessage(piece: Uint8Array, at: number): number | undefined {
    const withHeaders = piece[at] === H
    if (!withHeaders && piece[at] !== M) return undefined
    const count = this.#splitLine(piece, at + (withHeaders ? 'HMSG '.length : 'MSG '.length))
    const withReply = count === (withHeaders ? 5 : 4)
    if (!withReply && count !== (withHeaders ? 4 : 3)) return undefined

    const sid = this.#toNumber(piece, 1)
    const hdr = withHeaders ? this.#toNumber(piece, count - 2) : -1
    const size = this.#toNumber(piece, count - 1)
    const data = this.#beginOf(count) + 1
    const next = data + size + 2
    const isWhole = sid >= 0 && hdr <= size && next <= piece.length
    if (!isWhole || piece[data - 1] !== LF || piece[next - 1] !== LF) return undefined

    const subject = this.#toBytes(piece, 0)
    const reply = withReply ? this.#toBytes(piece, 2) : undefined
    const msg = { sid, hdr, size, subject, reply }
    this.#push({ kind: MESSAGE, msg, data: piece.subarray(data, data + size) })
    return next
  }

  /** Returns how many fields the line has; none if it does not end, or has more than any message. */
  #splitLine(piece: Uint8Array, begin: number): number {
    let count = 0
    this.#fields[0] = begin
    for (let at = begin; at < piece.length; at += 1) {
      const byte = piece[at]
      if (byte !== SPACE && byte !== CR) continue
      count += 1
      if (count > MOST_FIELDS) return 0
      this.#fields[count] = at + 1
      if (byte === CR) return count
    }
    return 0
  }

  #beginOf(field: number): number {
    return this.#fields[field] ?? 0
  }

  #toBytes(piece: Uint8Array, field: number): Uint8Array {
    return piece.subarray(this.#beginOf(field), this.#beginOf(field + 1) - 1)
  }

  /** `NaN` for what is no number. */
  #toNumber(piece: Uint8Array, field: number): number {
    const begin = this.#beginOf(field)
    const end = this.#beginOf(field + 1) - 1
    if (begin === end || end - begin > MOST_DIGITS) return Number.NaN
    let number = 0
    for (let at = begin; at < end; at += 1) {
      const digit = (piece[at] ?? 0) - ZERO
      if (digit < 0 || digit > 9) return Number.NaN
      number = number * 10 + digit
    }
    return number
  }
}
