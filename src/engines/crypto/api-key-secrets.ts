/** Draws the ids and secrets of API keys, and hashes secrets under a key derived from the master key. */
import { hkdfSync } from 'node:crypto'
import type { ApiKeyId } from '../../domain/access/api-key.ts'
import type { ApiKeySecrets } from '../../ports/api-key-secrets.ts'
import { openHmac } from './hmac.ts'
import { openRandom, type Random } from './random.ts'

const KEY_BYTES = 32
const LABEL = 'pombo api key v1'

const ID_LENGTH = 12
const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
/** 238 random bits: a slow hash would protect them no better. */
const SECRET_LENGTH = 40
const SECRET_ALPHABET = `${ID_ALPHABET}ABCDEFGHIJKLMNOPQRSTUVWXYZ`

export function openApiKeySecrets(masterKey: Uint8Array, random: Random = openRandom()): ApiKeySecrets {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const hmac = openHmac(new Uint8Array(hkdfSync('sha256', masterKey, '', LABEL, KEY_BYTES)))
  return {
    draw: () => ({
      id: drawText(random, ID_ALPHABET, ID_LENGTH) as ApiKeyId,
      secret: drawText(random, SECRET_ALPHABET, SECRET_LENGTH),
    }),
    hash: (secret) => hmac(secret).toString('hex'),
  }
}

const BYTE_VALUES = 256

/** Uniformly distributed: bytes beyond the last full round of the alphabet are drawn again. */
function drawText(random: Random, alphabet: string, length: number): string {
  const even = BYTE_VALUES - (BYTE_VALUES % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length - text.length)) {
      if (byte < even) text += alphabet.charAt(byte % alphabet.length)
    }
  }
  return text
}
