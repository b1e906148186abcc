/**
 * Signs erasure receipts with Ed25519. The private key is derived from the master key, so there is nothing more to
 * store; the public key lets anyone verify a receipt.
 */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto'
import { type ErasureReceipt, type SignedReceipt, toCanonicalJson } from '../../domain/message/erasure-receipt.ts'
import type { ErasureSigner } from '../../ports/erasure-signer.ts'

const KEY_BYTES = 32
const LABEL = 'pombo erasure receipt v1'
/** The PKCS #8 header before the seed of an Ed25519 key (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function openErasureSigner(masterKey: Uint8Array): ErasureSigner {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const seed = Buffer.from(hkdfSync('sha256', masterKey, '', LABEL, KEY_BYTES))
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const verifying = createPublicKey(key)
  const publicKey = String(verifying.export({ format: 'jwk' }).x)

  return {
    publicKey,

    sign: (receipt) => ({
      receipt,
      signature: {
        algorithm: 'Ed25519',
        public_key: publicKey,
        value: sign(null, bytesOf(receipt), key).toString('base64url'),
      },
    }),

    verify: ({ receipt, signature }) =>
      signature.public_key === publicKey && isSigned(verifying, receipt, signature.value),
  }
}

const isSigned = (key: KeyObject, receipt: ErasureReceipt, value: SignedReceipt['signature']['value']): boolean =>
  verify(null, bytesOf(receipt), key, Buffer.from(value, 'base64url'))

const bytesOf = (receipt: ErasureReceipt): Buffer => Buffer.from(toCanonicalJson(receipt))
