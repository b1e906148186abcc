/** Signs the receipts of erasures, so that they can be shown to others. */
import type { ErasureReceipt, SignedReceipt } from '../domain/message/erasure-receipt.ts'

export interface ErasureSigner {
  /** The 32 bytes of an Ed25519 public key in base64url: the same in every process of one master key. */
  readonly publicKey: string

  sign(receipt: ErasureReceipt): SignedReceipt

  /** Whether this gateway signed it, and nothing of it was changed since. */
  verify(signed: SignedReceipt): boolean
}
