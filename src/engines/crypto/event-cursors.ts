/**
 * Positions of the log as one AES block each, with a key per tenant that is derived from the master key: 8 bytes of
 * position and 8 of zeros, by which an id that we did not make is recognised. Equal positions have equal ids.
 */
import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv, hkdfSync } from 'node:crypto'
import type { TenantId } from '../../domain/ids.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { EventCursors } from '../../ports/event-cursors.ts'
import type { Position } from '../../ports/event-log.ts'
import { openHmac } from './hmac.ts'

const LABEL = 'pombo event ids v1'
const KEY_BYTES = 32
const BLOCK_BYTES = 16
const CHECK_AT = 8
const ID = /^[A-Za-z0-9_-]{22}$/
const TENANTS = 1_024

/** ECB has no state, so one cipher encrypts any number of single blocks. */
type Ciphers = Readonly<{ encrypt: Cipheriv; decrypt: Decipheriv }>

export function openEventCursors(masterKey: Uint8Array): EventCursors {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const keyOf = openHmac(new Uint8Array(hkdfSync('sha256', masterKey, '', LABEL, KEY_BYTES)))
  const cached = new LruCache<TenantId, Ciphers>(TENANTS)

  function ciphersOf(tenantId: TenantId): Ciphers {
    const known = cached.get(tenantId)
    if (known !== undefined) return known
    const key = keyOf(tenantId)
    const encrypt = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    const decrypt = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    const ciphers = { encrypt, decrypt }
    cached.set(tenantId, ciphers)
    return ciphers
  }

  return {
    toId(tenantId, position) {
      const block = Buffer.alloc(BLOCK_BYTES)
      block.writeBigUInt64BE(BigInt(position))
      return ciphersOf(tenantId).encrypt.update(block).toString('base64url')
    },

    toPosition(tenantId, id) {
      if (!ID.test(id)) return undefined
      const block = ciphersOf(tenantId).decrypt.update(Buffer.from(id, 'base64url'))
      const position = Number(block.readBigUInt64BE())
      return block.readBigUInt64BE(CHECK_AT) === 0n && Number.isSafeInteger(position)
        ? (position as Position)
        : undefined
    },
  }
}
