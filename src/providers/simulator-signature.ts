/** How the simulator signs its callbacks: an HMAC of the very bytes, keyed with the secret both ends share. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export const SIGNATURE_HEADER = 'x-pombo-simulator-signature'

export const sign = (secret: string, body: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

export const isSigned = (secret: string, body: Uint8Array, signature: string | null): boolean =>
  isSame(sign(secret, body), signature ?? '')

/** Takes as long whatever the texts are: their hashes are compared, which are of one length. */
export const isSame = (expected: string, given: string): boolean => timingSafeEqual(digest(expected), digest(given))

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest()
