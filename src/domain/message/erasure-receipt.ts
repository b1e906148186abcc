/** The receipt of an erasure: what was found and erased, where, and what remains until when. */

import { toIso } from '../../lib/time.ts'
import type { Erasure } from './erasure.ts'

/** A store, and what the erasure did in it. */
export type CleanedStore = Readonly<{ store: string; action: string }>

/** Data that an erasure does not remove, why, and how long it stays. */
export type Remainder = Readonly<{ where: string; what: string; until: string }>

/** The same for every erasure of a deployment. */
export type ErasureFacts = Readonly<{ cleaned: readonly CleanedStore[]; remains: readonly Remainder[] }>

/** The public format: snake case, ISO 8601 times, and only strings, integers and lists as values. */
export type ErasureReceipt = Readonly<{
  version: 1
  erasure_id: string
  tenant_id: string
  account_id: string
  /** The keyed hash of the address: this gateway can compare it with an address, and nobody can reverse it. */
  recipient_hash: string
  requested_at: string
  completed_at: string
  messages: Readonly<{ found: number; erased: number; failed: number }>
  failures: readonly Readonly<{ message_id: string; reason: string }>[]
  cleaned: readonly CleanedStore[]
  remains: readonly Remainder[]
}>

export type ReceiptSignature = Readonly<{
  algorithm: 'Ed25519'
  /** The 32-byte public key and the 64-byte signature, in base64url. */
  public_key: string
  value: string
}>

/** Signs the canonical JSON of the receipt. */
export type SignedReceipt = Readonly<{ receipt: ErasureReceipt; signature: ReceiptSignature }>

export function toReceipt(erasure: Erasure, { cleaned, remains }: ErasureFacts): ErasureReceipt {
  const { erased, failed, suppression, completedAt = erasure.updatedAt } = erasure
  return {
    version: 1,
    erasure_id: erasure.id,
    tenant_id: erasure.tenantId,
    account_id: erasure.accountId,
    recipient_hash: erasure.toKey,
    requested_at: toIso(erasure.requestedAt),
    completed_at: toIso(completedAt),
    messages: { found: erased + failed, erased, failed },
    failures: erasure.failures.map(({ messageId, reason }) => ({ message_id: messageId, reason })),
    cleaned,
    remains: [...(suppression === undefined ? [] : [toRemainder(suppression)]), ...remains],
  }
}

const toRemainder = ({ reason, until }: NonNullable<Erasure['suppression']>): Remainder => ({
  where: 'suppression list',
  what: `The address itself (${reason}), so that no more mail is sent to it.`,
  until: until === undefined ? 'Until you remove it with DELETE /v1/suppressions/{address}.' : toIso(until),
})

/** Canonical JSON (RFC 8785): no spaces, sorted keys. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toCanonicalJson(field)}`).join(',')}}`
}
