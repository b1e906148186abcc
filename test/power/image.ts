/** The bytes of a file that is written at any place. What was never written is zero. */
export class Image {
  #bytes: Buffer
  #size: number

  constructor(bytes: Buffer) {
    this.#bytes = Buffer.from(bytes)
    this.#size = bytes.length
  }

  get size(): number {
    return this.#size
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }

  write(at: number, bytes: Uint8Array): void {
    this.#reserve(at + bytes.length)
    this.#bytes.set(bytes, at)
    this.#size = Math.max(this.#size, at + bytes.length)
  }

  resize(size: number): void {
    this.#reserve(size)
    if (size < this.#size) this.#bytes.fill(0, size, this.#size)
    this.#size = size
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return
    const larger = Buffer.alloc(2 * size)
    larger.set(this.#bytes.subarray(0, this.#size))
    this.#bytes = larger
  }
}
