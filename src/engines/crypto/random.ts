/**
 * Random bytes in small amounts: read from the system in bulk, each returned once. Returned bytes are wiped from the
 * pool, so that a secret destroyed by its owner leaves no copy here.
 */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 16_384

export type Random = Readonly<{
  /** At most as many bytes as the pool holds, in memory of their own. */
  bytes: (length: number) => Uint8Array
  /** `length` random bytes in hexadecimal. */
  hex: (length: number) => string
}>

export function openRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES)
  let next = POOL_BYTES

  function take<Taken>(length: number, read: (start: number, end: number) => Taken): Taken {
    if (next + length > POOL_BYTES) {
      randomFillSync(pool)
      next = 0
    }
    const start = next
    next += length
    const taken = read(start, next)
    pool.fill(0, start, next)
    return taken
  }

  return {
    bytes: (length) => take(length, (start, end) => new Uint8Array(pool.subarray(start, end))),
    hex: (length) => take(length, (start, end) => pool.toString('hex', start, end)),
  }
}
