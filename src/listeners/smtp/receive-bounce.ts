/**
 * Bounces come back to addresses that only we can make, one per attempt, so they need no sign-in. Anybody who received
 * the mail knows its address, and may say about it what it likes: such a report counts only for that attempt.
 */
import type { AttemptRef } from '../../domain/ids.ts'
import { type SettleReceiptDeps, settleReceipt } from '../../flows/receive/settle-receipt.ts'
import type { Receipt } from '../../ports/provider.ts'

export type BounceDeps = SettleReceiptDeps &
  Readonly<{
    /** Undefined where no bounces come back here. */
    bounces?: Readonly<{
      /** The attempt that an address was made for. */
      parse: (address: string) => AttemptRef | undefined
      /** What a bounce reports about the attempt. */
      read: (raw: Uint8Array, ref: AttemptRef) => Promise<readonly Receipt[]>
    }>
    onBounce: (ref: AttemptRef, result: BounceResult) => void
  }>

/** `unread`: it is not a report by the standard, such as an automatic answer. */
export type BounceResult = 'applied' | 'unmatched' | 'unread'

/** The report comes before the mail that it returns. */
export const BOUNCE_BYTES = 64 * 1024

export async function receiveBounce(deps: BounceDeps, raw: Buffer, ref: AttemptRef): Promise<void> {
  const receipts = (await deps.bounces?.read(raw.subarray(0, BOUNCE_BYTES), ref)) ?? []
  const results = await Promise.all(receipts.map((receipt) => settleReceipt(deps, receipt, undefined)))
  if (receipts.length === 0) deps.onBounce(ref, 'unread')
  else deps.onBounce(ref, results.includes('applied') ? 'applied' : 'unmatched')
}
