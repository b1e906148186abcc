import { hash, timingSafeEqual } from 'node:crypto'

/** Compares in constant time: the hashes have equal lengths. */
export const isSame = (expected: string, given: string): boolean => timingSafeEqual(digest(expected), digest(given))

const digest = (text: string): Uint8Array => hash('sha256', text, 'buffer')
