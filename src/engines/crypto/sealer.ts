/**
 * Seals content with AES-256-GCM under a key per message: the HMAC of the message's random secret under the master
 * key. Destroying the secret destroys the content, wherever its copies are.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { MessageId } from '../../domain/ids.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { type Hmac, openHmac } from './hmac.ts'
import { openRandom } from './random.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const SECRET_BYTES = 32
const TAG_BYTES = 16
const TAG = { authTagLength: TAG_BYTES }
/** Fixed, because every key seals only once: each secret is new. */
const IV = Buffer.alloc(12)
/** Enough to distinguish recipients. */
const BLIND_BYTES = 16

/** The master key is 32 random bytes; nothing is sealed with it directly. */
export function openSealer(masterKey: Uint8Array): Sealer {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const sealing = subkey(masterKey, 'pombo seal v1')
  const blinding = subkey(masterKey, 'pombo blind v1')
  const random = openRandom()

  return {
    mark: subkey(masterKey, 'pombo mark v1')().toString('base64url'),

    seal(id, plain) {
      const secret = random.bytes(SECRET_BYTES)
      return { sealed: encrypt(sealing, id, plain, secret), secret }
    },

    open: (id, sealed, secret) => decrypt(sealing, id, sealed, secret),

    // Email addresses are case-insensitive here; phone numbers have no case.
    blind: (tenantId, recipient) =>
      blinding(tenantId, '\0', recipient.toLowerCase()).toString('base64url', 0, BLIND_BYTES),
  }
}

const subkey = (masterKey: Uint8Array, label: string): Hmac =>
  openHmac(new Uint8Array(hkdfSync('sha256', masterKey, '', label, KEY_BYTES)))

/** A key object, because Node 24 takes 11 µs longer with a key given as plain bytes. */
function keyOf(sealing: Hmac, id: Uint8Array, secret: Uint8Array): KeyObject {
  const bytes = sealing(secret, id)
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/** Ciphertext, then tag, in memory of its own: pooled memory is no faster, and slower for large content. */
function encrypt(sealing: Hmac, id: MessageId, plain: Uint8Array, secret: Uint8Array): Uint8Array {
  const bytes = Buffer.from(id)
  const cipher = createCipheriv(CIPHER, keyOf(sealing, bytes, secret), IV, TAG).setAAD(bytes)
  const sealed = new Uint8Array(plain.length + TAG_BYTES)
  sealed.set(cipher.update(plain))
  cipher.final()
  sealed.set(cipher.getAuthTag(), plain.length)
  return sealed
}

function decrypt(sealing: Hmac, id: MessageId, sealed: Uint8Array, secret: Uint8Array): Uint8Array {
  // The HMAC concatenates secret and id, so only the fixed length of the secret keeps them apart.
  if (secret.length !== SECRET_BYTES) throw new Error(`a secret has ${SECRET_BYTES} bytes`)
  if (sealed.length < TAG_BYTES) throw new Error('too short to be sealed content')
  const bytes = Buffer.from(id)
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, keyOf(sealing, bytes, secret), IV, TAG)
  decipher.setAAD(bytes).setAuthTag(sealed.subarray(end))
  const plain = decipher.update(sealed.subarray(0, end))
  decipher.final()
  return plain
}
