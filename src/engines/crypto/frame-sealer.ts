/**
 * Seals the frames of the journal with AES-256-GCM. All frames of an epoch share one key, which is derived from the
 * master key and the epoch's random secret; a frame's number is its nonce and is never used twice in an epoch.
 * Destroying the secret destroys every frame of the epoch.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto'
import type { OpenFrameSealer } from '../../ports/sealer.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export const frameSealing =
  (masterKey: Uint8Array): OpenFrameSealer =>
  (secret) => {
    const key = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, secret, 'pombo frame v1', KEY_BYTES)))
    return {
      seal(frame, text) {
        const cipher = createCipheriv(CIPHER, key, nonceOf(frame))
        return Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      },
      open(frame, sealed) {
        const end = sealed.length - TAG_BYTES
        if (end < 0) throw new Error('too short to be a frame')
        const decipher = createDecipheriv(CIPHER, key, nonceOf(frame), { authTagLength: TAG_BYTES })
        decipher.setAuthTag(sealed.subarray(end))
        const text = Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()])
        return text.toString()
      },
    }
  }

function nonceOf(frame: number): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeBigUInt64BE(BigInt(frame), NONCE_BYTES - 8)
  return nonce
}
