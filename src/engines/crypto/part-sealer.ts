/** Seals the parts of long messages that have not all arrived, and hashes what they are recognised by. */
import { hkdfSync } from 'node:crypto'
import type { PartSealer } from '../../ports/partial-messages.ts'
import { openHmac } from './hmac.ts'
import { openTextSealer } from './text-sealer.ts'

const KEY_BYTES = 32
const LABEL = 'pombo message parts v1'

export function openPartSealer(masterKey: Uint8Array): PartSealer {
  const texts = openTextSealer(masterKey, `${LABEL} texts`)
  const hmac = openHmac(new Uint8Array(hkdfSync('sha256', masterKey, '', `${LABEL} digests`, KEY_BYTES)))
  return {
    // Lengths keep the fields apart.
    digest: (...fields) => hmac(...fields.flatMap((field) => [`${field.length} `, field])).toString('hex'),
    seal: (part, text) => texts.seal(contextOf(part), text),
    open: ({ sealed, ...part }) => texts.open(contextOf(part), sealed),
  }
}

const contextOf = ({ joint, number }: Readonly<{ joint: string; number: number }>): string => `${joint} ${number}`
