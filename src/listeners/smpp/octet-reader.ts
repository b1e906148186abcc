/** Reads the fields of a PDU one after the other, each within its bounds. */

/** The PDU is not what its header says it is. */
export class Unreadable extends Error {
  constructor() {
    super('a PDU cannot be read')
  }
}

/** By tag. Of one that is repeated, the last. */
export type Optionals = ReadonlyMap<number, Buffer>

const NONE: Optionals = new Map()
const HEAD = 4

export class OctetReader {
  readonly #octets: Buffer
  #at: number

  constructor(octets: Buffer, at: number) {
    this.#octets = octets
    this.#at = at
  }

  number(): number {
    const value = this.#octets[this.#at]
    if (value === undefined) throw new Unreadable()
    this.#at += 1
    return value
  }

  /** A C-string of at most so many octets, with its NUL. */
  text(most: number): string {
    const end = this.#octets.indexOf(0, this.#at)
    if (end < 0 || end - this.#at >= most) throw new Unreadable()
    const text = this.#octets.toString('latin1', this.#at, end)
    this.#at = end + 1
    return text
  }

  octets(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#octets.length) throw new Unreadable()
    const octets = this.#octets.subarray(this.#at, end)
    this.#at = end
    return octets
  }

  /** Everything that is left. */
  optionals(): Optionals {
    if (this.#at === this.#octets.length) return NONE
    const found = new Map<number, Buffer>()
    while (this.#at < this.#octets.length) {
      const head = this.octets(HEAD)
      found.set(head.readUInt16BE(0), this.octets(head.readUInt16BE(2)))
    }
    return found
  }
}

/** Of an optional parameter that is a number; undefined where it is missing or has another length. */
export function numberOf(optionals: Optionals, tag: number, octets: 1 | 2): number | undefined {
  const value = optionals.get(tag)
  return value?.length === octets ? value.readUIntBE(0, octets) : undefined
}
