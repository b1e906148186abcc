/** Reads owed receipts and partial messages from table rows. SQLite and PostgreSQL use the same column names. */
import type { AccountId, MessageId, TenantId } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { Position } from '../../ports/event-log.ts'
import type { PartialMessage, StoredPart } from '../../ports/partial-messages.ts'
import type { TakenReceipt } from '../../ports/receipt-deliveries.ts'
import type { Row } from './rows.ts'

const ownerOf = (row: Row) => ({
  tenantId: String(row['tenant']) as TenantId,
  accountId: String(row['account']) as AccountId,
})

export const toTakenReceipt = (row: Row): TakenReceipt => ({
  ...ownerOf(row),
  messageId: String(row['message']) as MessageId,
  position: Number(row['wanted_through']) as Position,
  isFirst: Number(row['delivered_through']) === 0,
})

/** `parts` is JSON: the numbers and sealed texts. Behind `joint` is the id once another message has taken its place. */
export const toPartialMessage = (row: Row): PartialMessage => {
  const isJoined = Boolean(row['joined'])
  return {
    ...ownerOf(row),
    id: String(row['id']),
    joint: String(row['joint']).split(' ', 1)[0] ?? '',
    total: Number(row['total']),
    joined: isJoined,
    until: instant(Number(row['until_at'])),
    parts: isJoined ? [] : toParts(String(row['parts'] ?? '[]')),
  }
}

const toParts = (json: string): readonly StoredPart[] =>
  (JSON.parse(json) as [number, string][])
    .map(([number, sealed]) => ({ number, sealed }))
    .toSorted((one, other) => one.number - other.number)
