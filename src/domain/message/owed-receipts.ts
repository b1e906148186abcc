/**
 * When a delivery receipt is owed to the sender of a message. A message has at most one intermediate notification and
 * exactly one final receipt, whatever is reported later.
 */
import type { Owed, ReceiptState } from './receipt-request.ts'
import { isUnresolved, type MessageState } from './state.ts'
import { toStatus } from './states.ts'

/** What the newest state of a message owes its sender; undefined if nothing. */
export function owedReceipt(state: MessageState): Owed | undefined {
  if (state.receipts === undefined) return undefined
  if (isOver(state)) return 'final'
  return state.receipts === 'all' && state.handoffState === 'handed_off' ? 'intermediate' : undefined
}

/** Nothing more is expected, though something more may be reported. */
const isOver = ({ endedAt, handoffState, noDeliveryReports }: MessageState): boolean =>
  endedAt !== undefined || handoffState === 'failed' || (handoffState === 'handed_off' && noDeliveryReports === true)

export function toReceiptState(state: MessageState): ReceiptState {
  switch (toStatus(state)) {
    case 'delivered':
      return 'DELIVRD'
    case 'expired':
      return 'EXPIRED'
    case 'failed':
      if (isUnresolved(state)) return 'UNKNOWN'
      return state.providerState === 'unknown' || state.providerState === 'accepted' ? 'REJECTD' : 'UNDELIV'
    case 'sent':
      return isOver(state) ? 'ACCEPTD' : 'ENROUTE'
    case 'queued':
    case 'sending':
      return 'ENROUTE'
  }
}
