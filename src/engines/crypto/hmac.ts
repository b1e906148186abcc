/**
 * HMAC-SHA-256 as RFC 2104 defines it, by two one-shot hashes: setting up `createHmac` costs more than hashing a short
 * message. The pads are as secret as the key and never leave this file.
 */
import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const INNER = 0x36
const OUTER = 0x5c
/** Longer messages get memory of their own. */
const SHORT_BYTES = 256
/** The most bytes that UTF-8 needs for one UTF-16 code unit. */
const UNIT_BYTES = 3

/** The HMAC of the parts one after the other; text is UTF-8. */
export type Hmac = (...parts: readonly (string | Uint8Array)[]) => Buffer

export function openHmac(key: Uint8Array): Hmac {
  const short = Buffer.alloc(BLOCK_BYTES + SHORT_BYTES)
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
  const block = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    short[at] = (block[at] ?? 0) ^ INNER
    outer[at] = (block[at] ?? 0) ^ OUTER
  }

  return (...parts) => {
    const room = BLOCK_BYTES + roomFor(parts)
    const inner = room > short.length ? Buffer.alloc(room) : short
    if (inner !== short) short.copy(inner, 0, 0, BLOCK_BYTES)
    const end = write(inner, parts)
    // A digest as text costs a quarter of one as a buffer.
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1')
    // Neither a pad nor a secret that its owner destroys may remain in freed memory.
    inner.fill(0, inner === short ? BLOCK_BYTES : 0, end)
    return Buffer.from(hash('sha256', outer, 'binary'), 'latin1')
  }
}

function roomFor(parts: readonly (string | Uint8Array)[]): number {
  let room = 0
  for (const part of parts) room += typeof part === 'string' ? part.length * UNIT_BYTES : part.length
  return room
}

/** Writes the parts after the pad, and returns where they end. */
function write(inner: Buffer, parts: readonly (string | Uint8Array)[]): number {
  let end = BLOCK_BYTES
  for (const part of parts) {
    if (typeof part === 'string') end += inner.write(part, end)
    else {
      inner.set(part, end)
      end += part.length
    }
  }
  return end
}
