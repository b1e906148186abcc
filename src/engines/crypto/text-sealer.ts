/** Seals short texts with AES-256-GCM and a random IV, under keys derived from the master key: one for each purpose. */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import type { TextSealer } from '../../ports/sealer.ts'

const KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const TAG = { authTagLength: TAG_BYTES }

/** Sealed texts are base64: the IV, the ciphertext, the tag. */
export function openTextSealer(masterKey: Uint8Array, purpose: string): TextSealer {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, '', purpose, KEY_BYTES)))
  return {
    seal(context, text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv, TAG).setAAD(Buffer.from(context))
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
    },
    open(context, sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('too short to be a sealed text')
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), TAG)
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
    },
  }
}
