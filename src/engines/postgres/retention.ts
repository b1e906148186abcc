/**
 * Finds and deletes the messages that are no longer kept. They are found by tenant and channel, through the index that
 * lists them by age: one tenant's old messages, which it may keep forever, cost nothing while those of another are
 * looked for.
 */
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message/message.ts'
import { POLLED_FOR, type RetentionPolicy, retentionOf, SETTLED_AFTER } from '../../domain/message/retention.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, instant } from '../../lib/time.ts'
import type { Position } from '../../ports/event-log.ts'
import type { StoredMessages } from '../../ports/retention.ts'
import type { Database } from './database.ts'

/** A message that is no longer kept, and the newest event of it that the index has. */
export type DueMessage = Readonly<{ id: MessageId; position: Position }>

export type IndexRetention = Readonly<{
  /** The oldest first, within a tenant and channel. */
  find: (policy: RetentionPolicy, now: Instant, limit: number) => Promise<readonly DueMessage[]>
  /** Deletes everything about messages but their rows, by which they are found again after an interruption. */
  removeDetails: (ids: readonly MessageId[]) => Promise<void>
  /** Deletes their rows, except those that changed since they were found. Returns how many were deleted. */
  remove: (due: readonly DueMessage[]) => Promise<number>
  stored: () => Promise<StoredMessages>
}>

export const postgresRetention = (db: Pick<Database, 'asSystem'>): IndexRetention => ({
  find: (policy, now, limit) => find(db, policy, now, limit),

  async removeDetails(ids) {
    if (ids.length === 0) return
    const values = [ids]
    const first = [LOCK, REMOVE_COPIES, REMOVE_EVENTS, REMOVE_TIMELINES, REMOVE_ATTEMPTS, REMOVE_RECEIPTS].map(
      (text) => ({
        text,
        values,
      }),
    )
    await db.asSystem(REMOVE_DELIVERIES, values, first)
  },

  async remove(due) {
    if (due.length === 0) return 0
    return (await db.asSystem(REMOVE, [due.map(({ id }) => id), due.map(({ position }) => position)])).length
  },

  stored: () => stored(db),
})

type Group = Readonly<{ tenantId: TenantId; channel: Channel; oldest: Instant }>

async function find(
  db: Pick<Database, 'asSystem'>,
  policy: RetentionPolicy,
  now: Instant,
  limit: number,
): Promise<readonly DueMessage[]> {
  const due = (await listGroups(db)).flatMap(({ tenantId, channel, oldest }) => {
    const kept = retentionOf(policy, tenantId, channel)
    return kept !== undefined && oldest < now - kept ? [{ tenantId, channel, before: now - kept }] : []
  })
  if (due.length === 0) return []
  const values = [
    due.map(({ tenantId }) => tenantId),
    due.map(({ channel }) => channel),
    due.map(({ before }) => before),
    now - POLLED_FOR,
    now - SETTLED_AFTER,
    limit,
  ]
  const rows = await db.asSystem(FIND, values, [IN_ORDER])
  return rows.map(({ id, position }) => ({ id: id as MessageId, position: position as Position }))
}

/** Skips from one tenant and channel to the next, however many messages each has. */
export const GROUPS = `
  with recursive groups as (
    (select tenant, channel, created_at from pombo.messages order by tenant, channel, created_at limit 1)
    union all
    select next.* from groups cross join lateral (
      select m.tenant, m.channel, m.created_at from pombo.messages m
      where (m.tenant, m.channel) > (groups.tenant, groups.channel)
      order by m.tenant, m.channel, m.created_at limit 1
    ) next
  )
  select tenant, channel, created_at from groups order by created_at
`

const listGroups = async (db: Pick<Database, 'asSystem'>): Promise<readonly Group[]> =>
  (await db.asSystem(GROUPS)).map(({ tenant, channel, created_at: oldest }) => ({
    tenantId: tenant as TenantId,
    channel: channel as Channel,
    oldest: instant(Number(oldest)),
  }))

/** Messages that are not over are skipped. That takes time, so the rest waits behind so many of them. */
const MOST_SKIPPED = 20_000

/** The planner would rather read and sort everything that may be skipped, and compiling the statement takes 130 ms. */
export const IN_ORDER = {
  text: 'set local enable_sort = off; set local enable_incremental_sort = off; set local jit = off',
}

/**
 * Only one index has this order: with another one the tenant's messages of the other channel would be skipped too.
 * `isOver` of domain/message/retention.ts; `updatedAt` by its tuple index in shared/codec.ts.
 */
export const FIND = `
  select found.id, found.position
  from unnest($1::text[], $2::text[], $3::bigint[]) as due (tenant, channel, before) cross join lateral (
    select id, position from (
      select id, position, silent_since, stalled_since, state from pombo.messages m
      where (m.tenant, m.channel, m.created_at) >= (due.tenant, due.channel, 0)
        and (m.tenant, m.channel, m.created_at) < (due.tenant, due.channel, due.before)
      order by m.tenant, m.channel, m.created_at, m.id limit ${MOST_SKIPPED}
    ) as oldest
    where stalled_since is null and (silent_since is null or silent_since <= $4)
      and pombo.number_of(pombo.places(state) -> 6) <= $5
    limit $6
  ) found
  limit $6
`

/** In the order in which projectors write, so that nobody deadlocks. Whoever holds the rows deletes the rest. */
const LOCK = 'select from pombo.messages where id = any($1::uuid[]) order by id for update'
const REMOVE_COPIES = 'delete from pombo.message_copies where message = any($1::uuid[])'
const REMOVE_EVENTS = 'delete from pombo.message_events where message = any($1::uuid[])'
const REMOVE_TIMELINES = 'delete from pombo.timelines where message = any($1::uuid[])'
const REMOVE_ATTEMPTS = 'delete from pombo.webhook_attempts where message = any($1::uuid[])'
const REMOVE_RECEIPTS = 'delete from pombo.receipt_deliveries where message = any($1::uuid[])'
const REMOVE_DELIVERIES = `
  with locked as (
    select n from pombo.webhook_deliveries where message = any($1::uuid[]) order by message, endpoint for update
  )
  delete from pombo.webhook_deliveries d using locked where d.n = locked.n
`

const REMOVE = `
  with locked as (
    select m.id from pombo.messages m join unnest($1::uuid[], $2::bigint[]) as due (id, position) using (id)
    where m.position = due.position order by m.id for update of m
  )
  delete from pombo.messages m using locked where m.id = locked.id returning m.id
`

/** From here on the number is an estimate. */
const COUNTED = 10_000
const COUNT = `
  select count(*) as messages,
    (select reltuples::bigint from pg_class where oid = 'pombo.messages'::regclass) as estimated
  from (select from pombo.messages limit ${COUNTED}) as counted
`

async function stored(db: Pick<Database, 'asSystem'>): Promise<StoredMessages> {
  const [[row], [first]] = await Promise.all([db.asSystem(COUNT), listGroups(db)])
  const counted = Number(row?.['messages'])
  const messages = counted < COUNTED ? counted : Math.max(counted, Number(row?.['estimated']))
  return omitUndefined({ messages, oldest: first?.oldest })
}
