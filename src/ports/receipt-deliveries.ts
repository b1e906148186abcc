/**
 * The delivery receipts that are owed to SMPP clients. There is one row per message, with the position up to which the
 * client knows its events; it has no personal data. Rows are derived from the log by the projector, which enqueues lost
 * ones again. Any process at which a receiver of the account is bound leases and delivers them, at least once.
 */

import type { AccountId, MessageId, TenantId } from '../domain/ids.ts'
import { type Instant, type Millis, seconds } from '../lib/time.ts'
import type { Position } from './event-log.ts'

/** Receipts that no receiver has fetched for this long are no longer delivered, and deleted. */
export const RECEIPTS_KEPT_FOR: Millis = seconds(7 * 24 * 60 * 60)

/** Whose receipts: those of one account go to any of its receivers. */
export type ReceiptAccount = Readonly<{ tenantId: TenantId; accountId: AccountId }>

/** A message that owes a receipt since an event at this position. */
export type OwedMessage = ReceiptAccount & Readonly<{ messageId: MessageId; position: Position; at: Instant }>

/** A leased receipt. `isFirst`: the client has not been told of this message yet. */
export type TakenReceipt = ReceiptAccount & Readonly<{ messageId: MessageId; position: Position; isFirst: boolean }>

/** `isLast`: nothing more is owed for this message, whatever happens to it. */
export type DeliveredReceipt = Pick<TakenReceipt, 'messageId' | 'position'> & Readonly<{ isLast: boolean }>

/** How many receipts the receivers of an account can take now. */
export type ReceiptDemand = ReceiptAccount & Readonly<{ max: number }>

export interface ReceiptDeliveries {
  /** Idempotent. Changes nothing for a message that owes nothing more. */
  enqueue(owed: readonly OwedMessage[]): Promise<void>

  /** Leases due receipts until `until`, those that have waited longest first. */
  take(demands: readonly ReceiptDemand[], at: Instant, until: Instant): Promise<readonly TakenReceipt[]>

  /** Records that the client knows the message up to these positions. */
  complete(delivered: readonly DeliveredReceipt[], at: Instant): Promise<void>

  /** Returns leased receipts, due again at `again`. */
  release(ids: readonly MessageId[], again: Instant): Promise<void>

  /** Deletes what has not changed since `before`, a few at a time. True if there may be more. */
  forget(before: Instant): Promise<boolean>
}
