/** The statements of webhook-deliveries.ts. A webhook delivery has a `due_at` exactly while it is pending. */
import type { DatabaseSync } from 'node:sqlite'

const IS_OF_ENDPOINT = 'tenant = :tenant and account = :account and endpoint = :endpoint'
const IS_DELIVERY = `message = :message and ${IS_OF_ENDPOINT}`
const COLUMNS = `
  tenant, account, message, endpoint, state, delivered_through, wanted_through, since, failures, due_at, created_at, updated_at
`
const CHANGE = `'pending', 0, :position`

/** A delivery that is pending already keeps its due time. */
const ON_CONFLICT = `
  on conflict (message, endpoint) do update set
    wanted_through = excluded.wanted_through,
    state = 'pending',
    failures = case when state = 'pending' then failures else 0 end,
    due_at = coalesce(due_at, excluded.due_at),
    updated_at = max(updated_at, excluded.updated_at)
  where wanted_through < excluded.wanted_through
`

const REPLAYED = `
  state = 'pending', delivered_through = 0, since = :since, failures = 0, due_at = :at, held_until = null
`

export function prepareWebhookDeliveries(db: DatabaseSync) {
  return {
    ...prepareTaking(db),
    ...prepareCompletion(db),
    replay: db.prepare(`update webhook_deliveries set ${REPLAYED} where ${IS_DELIVERY}`),
    replayOne: db.prepare(`update webhook_deliveries set ${REPLAYED} where n = :n`),
    behind: db.prepare(`
      select updated_at, n from webhook_deliveries
      where ${IS_OF_ENDPOINT} and updated_at <= :at and (updated_at, n) > (:updatedAt, :n)
      order by updated_at, n limit :most
    `),
    resume: db.prepare(`
      update webhook_deliveries set due_at = :at
      where n in (select n from webhook_deliveries where ${IS_OF_ENDPOINT} and due_at > :at limit :most)
    `),
    forget: db.prepare(`
      delete from webhook_deliveries where n in (select n from webhook_deliveries where updated_at < ? order by updated_at limit ?)
    `),
  }
}

const prepareTaking = (db: DatabaseSync) => ({
  enqueue: db.prepare(`
    insert into webhook_deliveries (${COLUMNS})
    select :tenant, :account, :message, id, ${CHANGE}, created_at, 0, :at, :at, :at
    from endpoints where tenant = :tenant and account = :account and created_at <= :at
    ${ON_CONFLICT}
  `),
  enqueueCallback: db.prepare(`
    insert into webhook_deliveries (${COLUMNS}) values (:tenant, :account, :message, :endpoint, ${CHANGE}, 0, 0, :at, :at, :at)
    ${ON_CONFLICT}
  `),
  enqueueAlert: db.prepare(`
    insert into webhook_deliveries (${COLUMNS}, alert)
    select tenant, account, :id, id, 'pending', 0, 1, created_at, 0, :at, :at, :at, :alert
    from endpoints where created_at <= :at and tenant = coalesce(:tenant, tenant)
      and (:tenant is not null and events = '[]' or exists (select 1 from json_each(events) where value = :type))
    on conflict (message, endpoint) do nothing
  `),
  nextQueue: db.prepare(`
    select tenant, account, endpoint from webhook_deliveries
    where due_at is not null and (tenant, account, endpoint) > (?, ?, ?)
    order by tenant, account, endpoint limit 1
  `),
  open: db.prepare(`
    select * from endpoints where tenant = :tenant and account = :account and id = :endpoint and disabled is null
  `),
  front: db.prepare(`
    select * from webhook_deliveries where ${IS_OF_ENDPOINT} and due_at <= :at and updated_at >= :oldest
    order by due_at, n limit :each
  `),
  hold: db.prepare('update webhook_deliveries set held_until = ? where n = ?'),
  release: db.prepare(`update webhook_deliveries set held_until = null where ${IS_DELIVERY}`),
})

/** `seen` is the position delivered when it was leased: an earlier one means that it was replayed since. */
const prepareCompletion = (db: DatabaseSync) => ({
  delivered: db.prepare(`
    update webhook_deliveries set
      delivered_through = :through,
      wanted_through = max(wanted_through, :through),
      state = case when wanted_through > :through then 'pending' else 'delivered' end,
      due_at = case when wanted_through > :through then :at end,
      held_until = :until,
      failures = 0,
      last_error = null,
      last_status = coalesce(:status, last_status),
      tried_at = case when :status is null then tried_at else :at end,
      updated_at = max(updated_at, :at)
    where ${IS_DELIVERY} and delivered_through >= :seen and delivered_through < :through
  `),
  failed: db.prepare(`
    update webhook_deliveries set
      state = case when :again is null then 'failed' else 'pending' end,
      due_at = :again,
      held_until = null,
      failures = failures + 1,
      last_error = :error,
      last_status = :status,
      tried_at = :at,
      updated_at = max(updated_at, :at)
    where ${IS_DELIVERY} and delivered_through >= :seen and state = 'pending'
  `),
})
