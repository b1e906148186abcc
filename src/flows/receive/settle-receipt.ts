/** Applies a provider's report where that costs least: in the worker that made the attempt, or else here. */
import type { Receipt } from '../../ports/provider.ts'
import type { Applied, ReceiptForwarding } from '../../ports/receipt-forwarding.ts'
import { type ApplyReceiptDeps, applyReceipt, isDecidedByState } from './apply-receipt.ts'

/** Without `receiptForwarding`, every process applies the reports it receives. */
export type SettleReceiptDeps = ApplyReceiptDeps & Readonly<{ receiptForwarding?: ReceiptForwarding }>

/** `worker` is the one that made the attempt, if the provider's callback names it. */
export async function settleReceipt(
  deps: SettleReceiptDeps,
  receipt: Receipt,
  worker: string | undefined,
): Promise<Applied> {
  const isForwarded = worker !== undefined && isDecidedByState(receipt)
  const applied = isForwarded ? await deps.receiptForwarding?.forward(worker, receipt) : undefined
  return applied ?? applyReceipt(deps, receipt)
}
