import { hash, timingSafeEqual } from 'node:crypto'

/** Compares in constant time: the hashes have equal lengths. */
export const isSame = (expected: string, given: string): boolean => sameAs(expected)(given)

/** The same for one text that others are compared with again and again. */
export function sameAs(expected: string): (given: string) => boolean {
  const digested = digest(expected)
  return (given) => timingSafeEqual(digested, digest(given))
}

const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer')
