/** The secrets in cookies and links, with the system's random numbers and a key derived from the master key. */
import { createHmac, createSecretKey, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { SecretTokens } from '../../ports/secret-tokens.ts'

const TOKEN_BYTES = 32
const KEY_BYTES = 32
const LABEL = 'pombo sessions v1'

export function openSecretTokens(masterKey: Uint8Array): SecretTokens {
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, '', LABEL, KEY_BYTES)))
  return {
    draw: () => randomBytes(TOKEN_BYTES).toString('base64url'),
    hash: (token) => hash('sha256', token, 'base64url'),
    // No purpose contains a space, so no two pairs of purpose and text read the same.
    sign: (purpose, text) => createHmac('sha256', key).update(`${purpose} ${text}`).digest('base64url'),
  }
}
