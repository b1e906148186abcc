/** The signature of the simulator's callbacks: an HMAC of the raw body, keyed with the shared secret. */
import { createHmac } from 'node:crypto'
import { isSame } from '../../lib/constant-time.ts'

export const SIGNATURE_HEADER = 'x-pombo-simulator-signature'

export const sign = (secret: string, body: string | Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

export const isSigned = (secret: string, body: Uint8Array, signature: string | null): boolean =>
  isSame(sign(secret, body), signature ?? '')
