/** The delivery receipts owed to SMPP clients, in a table. Leases end with the process: opening the table clears them. */
import type { DatabaseSync } from 'node:sqlite'
import type { ReceiptDeliveries } from '../../ports/receipt-deliveries.ts'
import { toTakenReceipt } from '../shared/receipt-rows.ts'
import type { Table } from './tables.ts'

/** `due_at` is null when nothing is owed; `ended` once nothing ever will be. */
export const RECEIPT_TABLES = `
  create table receipt_deliveries (
    message text primary key,
    tenant text not null,
    account text not null,
    delivered_through integer not null,
    wanted_through integer not null,
    ended integer not null,
    due_at integer,
    held_until integer,
    updated_at integer not null
  ) strict, without rowid;
  create index receipt_deliveries_due on receipt_deliveries (tenant, account, due_at) where due_at is not null;
  create index receipt_deliveries_oldest on receipt_deliveries (updated_at);
`

/** Rows deleted per step: few enough not to block other users of the store. */
const STEP = 500

export function receiptDeliveryTable(db: DatabaseSync) {
  db.exec('update receipt_deliveries set held_until = null where held_until is not null')
  const sql = prepare(db)
  return {
    // A lost result only causes a repeated receipt, so all of it is answered before it is on disk.
    background: {
      enqueue(owed) {
        for (const { messageId: message, tenantId: tenant, accountId: account, position, at } of owed) {
          sql.enqueue.run({ message, tenant, account, position, at })
        }
      },
      take: (demands, at, until) =>
        demands.flatMap(({ tenantId: tenant, accountId: account, max }) => {
          const rows = sql.due.all({ tenant, account, at, max })
          for (const { message } of rows) sql.hold.run(until, String(message))
          return rows.map(toTakenReceipt)
        }),
      complete(delivered, at) {
        for (const { messageId: message, position, isLast } of delivered) {
          sql.complete.run({ message, position, ended: isLast ? 1 : 0, at })
        }
      },
      release(ids, again) {
        for (const id of ids) sql.release.run(again, id)
      },
      forget: (before) => sql.forget.run(before, STEP).changes === STEP,
    },
  } satisfies Table<ReceiptDeliveries>
}

const prepare = (db: DatabaseSync) => ({
  enqueue: db.prepare(`
    insert into receipt_deliveries
      (message, tenant, account, delivered_through, wanted_through, ended, due_at, updated_at)
    values (:message, :tenant, :account, 0, :position, 0, :at, :at)
    on conflict (message) do update set
      wanted_through = excluded.wanted_through,
      due_at = coalesce(due_at, excluded.due_at),
      updated_at = max(updated_at, excluded.updated_at)
    where ended = 0 and wanted_through < excluded.wanted_through
  `),
  due: db.prepare(`
    select message, tenant, account, wanted_through, delivered_through from receipt_deliveries
    where tenant = :tenant and account = :account and due_at <= :at and coalesce(held_until, 0) <= :at
    order by due_at limit :max
  `),
  hold: db.prepare('update receipt_deliveries set held_until = ? where message = ?'),
  complete: db.prepare(`
    update receipt_deliveries set
      delivered_through = max(delivered_through, :position),
      ended = max(ended, :ended),
      due_at = case when :ended = 0 and wanted_through > :position then due_at end,
      held_until = null,
      updated_at = max(updated_at, :at)
    where message = :message
  `),
  release: db.prepare('update receipt_deliveries set held_until = null, due_at = max(due_at, ?) where message = ?'),
  forget: db.prepare(`
    delete from receipt_deliveries where message in
      (select message from receipt_deliveries where updated_at < ? order by updated_at limit ?)
  `),
})
