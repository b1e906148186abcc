/**
 * Passes receipts to the worker that made the attempt. It still has the message in memory, so it need not read the log
 * to apply one. Only a shortcut: any process can apply any receipt.
 */
import type { Receipt } from './provider.ts'

/** Whether the receipt matched an attempt. */
export type Applied = 'applied' | 'unmatched'

export interface ReceiptForwarding {
  /** Applies the receipts on attempts of this worker until it is disposed. */
  serve(worker: string, apply: (receipt: Receipt) => Promise<Applied>): AsyncDisposable

  /** Undefined if the worker is gone, failed, or did not answer in time: then the caller applies the receipt. */
  forward(worker: string, receipt: Receipt): Promise<Applied | undefined>
}
