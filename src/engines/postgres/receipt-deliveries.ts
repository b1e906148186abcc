/** The delivery receipts owed to SMPP clients, in the cluster profile. Statements lock rows in the order of their messages. */
import type { ReceiptDeliveries } from '../../ports/receipt-deliveries.ts'
import { toTakenReceipt } from '../shared/receipt-rows.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database } from './database.ts'

/** Rows deleted per step: few enough for the statement timeout. */
const STEP = 500

const ENQUEUE = `
  insert into pombo.receipt_deliveries as known
    (message, tenant, account, delivered_through, wanted_through, ended, due_at, updated_at)
  select distinct on (message) message, tenant, account, 0, position, false, at, at
  from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) as owed (message, tenant, account, position, at)
  order by message, position desc
  on conflict (message) do update set
    wanted_through = excluded.wanted_through,
    due_at = coalesce(known.due_at, excluded.due_at),
    updated_at = greatest(known.updated_at, excluded.updated_at)
  where not known.ended and known.wanted_through < excluded.wanted_through
`

/** What others are taking at the same time is left to them. */
const TAKE = `
  with due as (
    select first.message from unnest($1::text[], $2::text[], $3::bigint[]) as demand (tenant, account, most)
    cross join lateral (
      select message from pombo.receipt_deliveries r
      where r.tenant = demand.tenant and r.account = demand.account and r.due_at <= $4 and coalesce(r.held_until, 0) <= $4
      order by r.due_at limit demand.most for update skip locked
    ) first
  )
  update pombo.receipt_deliveries r set held_until = $5 from due where r.message = due.message
  returning r.message, r.tenant, r.account, r.wanted_through, r.delivered_through
`

const COMPLETE = `
  with done as (
    select d.* from unnest($1::uuid[], $2::bigint[], $3::boolean[]) as d (message, position, is_last)
    join pombo.receipt_deliveries r using (message) order by message for update of r
  )
  update pombo.receipt_deliveries r set
    delivered_through = greatest(r.delivered_through, done.position),
    ended = r.ended or done.is_last,
    due_at = case when not done.is_last and r.wanted_through > done.position then r.due_at end,
    held_until = null,
    updated_at = greatest(r.updated_at, $4)
  from done where r.message = done.message
`

const RELEASE = `
  with held as (select message from pombo.receipt_deliveries where message = any($1::uuid[]) order by message for update)
  update pombo.receipt_deliveries r set held_until = null, due_at = greatest(r.due_at, $2)
  from held where r.message = held.message and r.due_at is not null
`

const FORGET = `
  delete from pombo.receipt_deliveries where message = any(array(
    select message from pombo.receipt_deliveries where updated_at < $1 order by updated_at limit $2 for update skip locked
  )) returning message
`

export const postgresReceiptDeliveries = (db: Database): ReceiptDeliveries => ({
  async enqueue(owed) {
    if (owed.length === 0) return
    await db.asSystem(ENQUEUE, [
      ARRAYS.uuid(owed.map(({ messageId }) => messageId)),
      ARRAYS.text(owed.map(({ tenantId }) => tenantId)),
      ARRAYS.text(owed.map(({ accountId }) => accountId)),
      ARRAYS.bigint(owed.map(({ position }) => position)),
      ARRAYS.bigint(owed.map(({ at }) => at)),
    ])
  },

  async take(demands, at, until) {
    if (demands.length === 0) return []
    const rows = await db.asSystem(TAKE, [
      ARRAYS.text(demands.map(({ tenantId }) => tenantId)),
      ARRAYS.text(demands.map(({ accountId }) => accountId)),
      ARRAYS.bigint(demands.map(({ max }) => max)),
      at,
      until,
    ])
    return rows.map(toTakenReceipt)
  },

  async complete(delivered, at) {
    if (delivered.length === 0) return
    await db.asSystem(COMPLETE, [
      ARRAYS.uuid(delivered.map(({ messageId }) => messageId)),
      ARRAYS.bigint(delivered.map(({ position }) => position)),
      ARRAYS.boolean(delivered.map(({ isLast }) => isLast)),
      at,
    ])
  },

  async release(ids, again) {
    if (ids.length > 0) await db.asSystem(RELEASE, [ARRAYS.uuid(ids), again])
  },

  forget: async (before) => (await db.asSystem(FORGET, [before, STEP])).length === STEP,
})
