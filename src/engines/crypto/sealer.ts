/**
 * Content sealed with AES-256-GCM under a key per message: HMAC of the message's own random secret
 * under the master key. Destroying the secret destroys the content, wherever copies of it are.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { MessageId } from '../../domain/ids.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { type Hmac, toHmac } from './hmac.ts'
import { openRandom } from './random.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const SECRET_BYTES = 32
const TAG_BYTES = 16
const TAG = { authTagLength: TAG_BYTES }
/** Fixed, because every key seals once only: a fresh secret makes a fresh key. */
const IV = Buffer.alloc(12)
/** Enough to tell recipients apart. */
const BLIND_BYTES = 16
const SEPARATOR = Uint8Array.of(0)

/** The master key is 32 random bytes; nothing is ever sealed with it directly. */
export function openSealer(masterKey: Uint8Array): Sealer {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const toSealingKey = toHmac(subkey(masterKey, 'pombo seal v1'))
  const toBlind = toHmac(subkey(masterKey, 'pombo blind v1'))
  const random = openRandom()

  return {
    seal(id, plain) {
      const secret = random.bytes(SECRET_BYTES)
      return { sealed: encrypt(toSealingKey, id, plain, secret), secret }
    },

    open: (id, sealed, secret) => decrypt(toSealingKey, id, sealed, secret),

    blind: (tenantId, recipient) =>
      toBlind(Buffer.from(tenantId), SEPARATOR, Buffer.from(recipient)).subarray(0, BLIND_BYTES).toString('base64url'),
  }
}

const subkey = (masterKey: Uint8Array, label: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', masterKey, '', label, KEY_BYTES))

/** Wrapped, because Node 24 takes 11 µs to recognise a key given as plain bytes. */
const keyOf = (toKey: Hmac, id: Uint8Array, secret: Uint8Array): KeyObject => createSecretKey(toKey(secret, id))

/** Ciphertext, then tag, in memory of its own: a slice of a shared buffer would be costly to hand to a thread. */
function encrypt(toKey: Hmac, id: MessageId, plain: Uint8Array, secret: Uint8Array): Uint8Array {
  const bytes = Buffer.from(id)
  const cipher = createCipheriv(CIPHER, keyOf(toKey, bytes, secret), IV, TAG).setAAD(bytes)
  const sealed = new Uint8Array(plain.length + TAG_BYTES)
  sealed.set(cipher.update(plain))
  cipher.final()
  sealed.set(cipher.getAuthTag(), plain.length)
  return sealed
}

function decrypt(toKey: Hmac, id: MessageId, sealed: Uint8Array, secret: Uint8Array): Uint8Array {
  // The secret runs into the id under the HMAC, so only its fixed length keeps the two apart.
  if (secret.length !== SECRET_BYTES) throw new Error(`a secret has ${SECRET_BYTES} bytes`)
  if (sealed.length < TAG_BYTES) throw new Error('too short to be sealed content')
  const bytes = Buffer.from(id)
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, keyOf(toKey, bytes, secret), IV, TAG)
  decipher.setAAD(bytes).setAuthTag(sealed.subarray(end))
  const plain = decipher.update(sealed.subarray(0, end))
  decipher.final()
  return plain
}
