/** Makes and recognises the addresses that bounces come back to, with a key that is derived from the master key. */
import { hkdfSync } from 'node:crypto'
import type { EmailAddress } from '../../domain/email/address.ts'
import { parseBounceAddress, toBounceAddress } from '../../domain/email/bounce-address.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import { isSame } from '../../lib/constant-time.ts'
import { openHmac } from './hmac.ts'

const LABEL = 'pombo bounce addresses v1'
const KEY_BYTES = 32
const MAC_DIGITS = 16

export type BounceAddresses = Readonly<{
  of: (ref: AttemptRef) => EmailAddress | undefined
  parse: (address: string) => AttemptRef | undefined
}>

export function openBounceAddresses(masterKey: Uint8Array, domain: string): BounceAddresses {
  const hmac = openHmac(new Uint8Array(hkdfSync('sha256', masterKey, '', LABEL, KEY_BYTES)))
  const mac = (text: string): string => hmac(text).toString('hex').slice(0, MAC_DIGITS)
  return {
    of: (ref) => toBounceAddress(ref, domain, mac),
    parse: (address) => parseBounceAddress(address, domain, mac, isSame),
  }
}
