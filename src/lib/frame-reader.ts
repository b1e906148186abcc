/**
 * Splits a stream of octets into frames. The first four octets of a frame are its length, which counts itself. After a
 * length outside of the bounds the stream cannot be read any further.
 */
export type FrameBounds = Readonly<{ min: number; max: number }>

export const BAD_LENGTH = Symbol('bad length')

const LENGTH_OCTETS = 4

export class FrameReader {
  readonly #bounds: FrameBounds
  #rest: Buffer = Buffer.alloc(0)

  constructor(bounds: FrameBounds) {
    this.#bounds = bounds
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
  }

  /** The next whole frame; undefined until the rest of it has arrived. */
  next(): Buffer | typeof BAD_LENGTH | undefined {
    const rest = this.#rest
    if (rest.length < LENGTH_OCTETS) return undefined
    const length = rest.readUInt32BE(0)
    if (length < this.#bounds.min || length > this.#bounds.max) return BAD_LENGTH
    if (rest.length < length) return undefined
    this.#rest = rest.subarray(length)
    return rest.subarray(0, length)
  }
}
