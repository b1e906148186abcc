import { createHash, timingSafeEqual } from 'node:crypto'

/** Takes as long whatever the texts are: their hashes are compared, which are of one length. */
export const isSame = (expected: string, given: string): boolean => timingSafeEqual(digest(expected), digest(given))

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest()
