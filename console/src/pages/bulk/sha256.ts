/**
 * SHA-256 of bytes that come in pieces. Browsers offer it only over HTTPS or on localhost, and only for bytes that are
 * all in memory.
 */
const PRIMES = firstPrimes(64)
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)))
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const BLOCK = 64

export class Sha256 {
  readonly #state = Uint32Array.from(START)
  readonly #words = new Uint32Array(64)
  readonly #block = new Uint8Array(BLOCK)
  #filled = 0
  #length = 0

  update(bytes: Uint8Array): void {
    this.#length += bytes.length
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + BLOCK - this.#filled)
      this.#block.set(piece, this.#filled)
      this.#filled += piece.length
      at += piece.length
      if (this.#filled === BLOCK) this.#compress()
    }
  }

  /** In hexadecimal. Call it once, at the end. */
  digest(): string {
    const bits = this.#length * 8
    const padding = new Uint8Array(((BLOCK + 55 - (this.#length % BLOCK)) % BLOCK) + 9)
    padding[0] = 0x80
    const view = new DataView(padding.buffer)
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32))
    view.setUint32(padding.length - 4, bits >>> 0)
    this.update(padding)
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('')
  }

  #compress(): void {
    this.#filled = 0
    const words = this.#words
    const view = new DataView(this.#block.buffer)
    for (let i = 0; i < 16; i += 1) words[i] = view.getUint32(i * 4)
    for (let i = 16; i < 64; i += 1) {
      const [a, b] = [word(words, i - 15), word(words, i - 2)]
      const first = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)
      const second = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10)
      words[i] = word(words, i - 16) + first + word(words, i - 7) + second
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = this.#state
    for (let i = 0; i < 64; i += 1) {
      const one = (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g))
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      const next = (h + one + (ROUNDS[i] ?? 0) + word(words, i)) >>> 0
      h = g
      g = f
      f = e
      e = (d + next) >>> 0
      d = c
      c = b
      b = a
      a = (next + two) >>> 0
    }
    for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) this.#state[i] = word(this.#state, i) + value
  }
}

const word = (words: Uint32Array, at: number): number => words[at] ?? 0

const turn = (value: number, by: number): number => (value >>> by) | (value << (32 - by))

function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32)
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return primes
}
