/**
 * HMAC-SHA1 without the key. A state has what the hash has computed from the key, and signs as the key does; but the key
 * cannot be computed from it. So it may be stored where the key must not be.
 */
import { hash } from 'node:crypto'

/** Two states of the hash, in base64. */
export type HmacSha1State = string

const BLOCK_BYTES = 64
const WORDS = 5
const [INNER_PAD, OUTER_PAD] = [0x36, 0x5c]
const INITIAL: readonly number[] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]

export function toHmacSha1State(key: string): HmacSha1State {
  const bytes = Buffer.from(key)
  const short = bytes.length > BLOCK_BYTES ? hash('sha1', bytes, 'buffer') : bytes
  const padded = Buffer.concat([short], BLOCK_BYTES)
  const states = [INNER_PAD, OUTER_PAD].map((pad) =>
    compress(
      INITIAL,
      padded.map((byte) => byte ^ pad),
      0,
    ),
  )
  return Buffer.concat(states.map(toBytes)).toString('base64')
}

/** The signature in base64. */
export function signFrom(state: HmacSha1State, text: string): string {
  const bytes = Buffer.from(state, 'base64')
  const inner = finish(toWords(bytes, 0), Buffer.from(text))
  return finish(toWords(bytes, WORDS * 4), inner).toString('base64')
}

/** The hash of a block that has led to `state`, followed by `rest`. */
function finish(state: readonly number[], rest: Uint8Array): Buffer {
  const blocks = Math.ceil((rest.length + 9) / BLOCK_BYTES)
  const padded = Buffer.concat([rest, Buffer.of(0x80)], blocks * BLOCK_BYTES)
  padded.writeBigUInt64BE(8n * BigInt(BLOCK_BYTES + rest.length), padded.length - 8)
  let words = state
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) words = compress(words, padded, at)
  return toBytes(words)
}

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

/** One step of SHA-1 (FIPS 180-4, 6.1.2). */
function compress(state: readonly number[], block: Uint8Array, at: number): readonly number[] {
  const words = new Int32Array(80)
  const view = new DataView(block.buffer, block.byteOffset + at, BLOCK_BYTES)
  for (let t = 0; t < 16; t += 1) words[t] = view.getInt32(t * 4)
  for (let t = 16; t < 80; t += 1) {
    words[t] = rotate(wordAt(words, t - 3) ^ wordAt(words, t - 8) ^ wordAt(words, t - 14) ^ wordAt(words, t - 16), 1)
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state
  for (let t = 0; t < 80; t += 1) {
    const [mixed, constant] = mix(t, b, c, d)
    const next = (rotate(a, 5) + mixed + e + constant + wordAt(words, t)) | 0
    ;[a, b, c, d, e] = [next, a, rotate(b, 30), c, d]
  }
  return [a, b, c, d, e].map((word, n) => (word + wordAt(state, n)) | 0)
}

/** The function and the constant of round `t`. */
function mix(t: number, b: number, c: number, d: number): readonly [mixed: number, constant: number] {
  if (t < 20) return [(b & c) | (~b & d), 0x5a827999]
  if (t < 40) return [b ^ c ^ d, 0x6ed9eba1]
  if (t < 60) return [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
  return [b ^ c ^ d, 0xca62c1d6]
}

const wordAt = (words: ArrayLike<number>, n: number): number => words[n] ?? 0

function toBytes(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(WORDS * 4)
  for (const [n, word] of words.entries()) bytes.writeInt32BE(word | 0, n * 4)
  return bytes
}

const toWords = (bytes: Buffer, at: number): readonly number[] =>
  Array.from({ length: WORDS }, (_, n) => bytes.readInt32BE(at + n * 4))
