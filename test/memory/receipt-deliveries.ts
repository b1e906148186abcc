/** The delivery receipts owed to SMPP clients in memory, for tests. */
import type { MessageId } from '../../src/domain/ids.ts'
import type { Position } from '../../src/ports/event-log.ts'
import type { OwedMessage, ReceiptDeliveries } from '../../src/ports/receipt-deliveries.ts'

type Row = OwedMessage & { delivered: Position; ended: boolean; dueAt: number | undefined; heldUntil: number }

export function memoryReceiptDeliveries(): ReceiptDeliveries {
  const rows = new Map<MessageId, Row>()
  return {
    async enqueue(owed) {
      for (const one of owed) {
        const known = rows.get(one.messageId)
        if (known === undefined) {
          rows.set(one.messageId, { ...one, delivered: 0 as Position, ended: false, dueAt: one.at, heldUntil: 0 })
        } else if (!known.ended && known.position < one.position) {
          rows.set(one.messageId, { ...known, position: one.position, at: one.at, dueAt: known.dueAt ?? one.at })
        }
      }
    },
    async take(demands, at, until) {
      return demands.flatMap(({ tenantId, accountId, max }) =>
        [...rows.values()]
          .filter((row) => row.tenantId === tenantId && row.accountId === accountId)
          .filter(({ dueAt, heldUntil }) => dueAt !== undefined && dueAt <= at && heldUntil <= at)
          .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0))
          .slice(0, max)
          .map((row) => {
            row.heldUntil = until
            const { messageId, position, delivered } = row
            return { tenantId, accountId, messageId, position, isFirst: delivered === 0 }
          }),
      )
    },
    async complete(delivered, at) {
      for (const { messageId, position, isLast } of delivered) {
        const row = rows.get(messageId)
        if (row === undefined) continue
        const isDone = isLast || row.position <= position
        const after = { delivered: position, ended: row.ended || isLast, heldUntil: 0, at }
        rows.set(messageId, { ...row, ...after, dueAt: isDone ? undefined : row.dueAt })
      }
    },
    async release(ids, again) {
      for (const row of ids.flatMap((id) => rows.get(id) ?? [])) {
        row.heldUntil = 0
        if (row.dueAt !== undefined) row.dueAt = Math.max(row.dueAt, again)
      }
    },
    async forget(before) {
      for (const [id, { at }] of rows) if (at < before) rows.delete(id)
      return false
    },
  }
}
