/** Signs the receipts of erasures, so that others can verify them. */
import type { ErasureReceipt, SignedReceipt } from '../domain/message/erasure-receipt.ts'

export interface ErasureSigner {
  /** An Ed25519 public key, 32 bytes in base64url: the same in every process with the same master key. */
  readonly publicKey: string

  sign(receipt: ErasureReceipt): SignedReceipt

  /** Whether this gateway signed it and it is unchanged. */
  verify(signed: SignedReceipt): boolean
}
