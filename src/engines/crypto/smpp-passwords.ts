/**
 * Derives the short password of an API key, for SMPP clients that have room for eight characters only. It has 47 bits, so it
 * is good only where guesses are throttled. It changes with the key, its secret and the master key.
 */
import { hkdfSync } from 'node:crypto'
import type { ApiKey } from '../../domain/access/api-key.ts'
import { openHmac } from './hmac.ts'

const KEY_BYTES = 32
const LABEL = 'pombo smpp password v1'
const LENGTH = 8
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export type SmppPasswords = (key: Pick<ApiKey, 'id' | 'hash'>) => string

export function openSmppPasswords(masterKey: Uint8Array): SmppPasswords {
  const hmac = openHmac(new Uint8Array(hkdfSync('sha256', masterKey, '', LABEL, KEY_BYTES)))
  return ({ id, hash }) => {
    let number = BigInt(`0x${hmac(`${id} ${hash}`).toString('hex')}`)
    let password = ''
    while (password.length < LENGTH) {
      password += ALPHABET.charAt(Number(number % BigInt(ALPHABET.length)))
      number /= BigInt(ALPHABET.length)
    }
    return password
  }
}
