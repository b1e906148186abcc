/**
 * The statements of webhook-deliveries.ts. A webhook delivery has a `due_at` exactly while it is pending. The deliveries
 * of one endpoint are a queue, ordered by `due_at`. Statements that change many rows lock them in the order of their
 * messages, so that they never deadlock.
 */
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'

const IS_OF_ENDPOINT = 'tenant = $1 and account = $2 and endpoint = $3'
const IS_DELIVERY = `message = $4 and ${IS_OF_ENDPOINT}`

/** A whole page at once. A delivery that is pending already keeps its due time. */
export const ENQUEUE = `
  with changed as (
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::bigint[])
      as c (message, tenant, account, position, has_callback, at)
  ), pending as (
    select c.*, e.id as endpoint, e.created_at as since
    from changed c join pombo.endpoints e on e.tenant = c.tenant and e.account = c.account and e.created_at <= c.at
    union all
    select c.*, '${CALLBACK}', 0 from changed c where c.has_callback
  )
  insert into pombo.webhook_deliveries as known
    (tenant, account, message, endpoint, state, delivered_through, wanted_through, since, failures, due_at, created_at, updated_at)
  select tenant, account, message, endpoint, 'pending', 0, position, since, 0, at, at, at
  from pending order by message, endpoint
  on conflict (message, endpoint) do update set
    wanted_through = excluded.wanted_through,
    state = 'pending',
    failures = case when known.state = 'pending' then known.failures else 0 end,
    due_at = coalesce(known.due_at, excluded.due_at),
    updated_at = greatest(known.updated_at, excluded.updated_at)
  where known.wanted_through < excluded.wanted_through
`

/** For operators if no tenant is given. */
export const ENQUEUE_ALERT = `
  insert into pombo.webhook_deliveries
    (tenant, account, message, endpoint, state, delivered_through, wanted_through, since, failures, due_at, created_at, updated_at, alert)
  select tenant, account, $1::uuid, id, 'pending', 0, 1, created_at, 0, $2::bigint, $2, $2, $3
  from pombo.endpoints where created_at <= $2 and tenant = coalesce($4, tenant)
    and ($4 is not null and events = '[]' or events::jsonb @> to_jsonb($5::text))
  order by id
  on conflict (message, endpoint) do nothing
`

/**
 * The first deliveries of every queue whose endpoint is enabled, in turns; leased ones keep their positions. The queues
 * are found by skipping from one to the next, however long each is.
 */
export const TAKE = `
  with recursive queues as (
    (select tenant, account, endpoint from pombo.webhook_deliveries where due_at is not null
      order by tenant, account, endpoint limit 1)
    union all
    select next.* from queues cross join lateral (
      select n.tenant, n.account, n.endpoint from pombo.webhook_deliveries n
      where n.due_at is not null and (n.tenant, n.account, n.endpoint) > (queues.tenant, queues.account, queues.endpoint)
      order by n.tenant, n.account, n.endpoint limit 1
    ) next
  ), reachable as (
    select queues.*, to_json(e) as to_endpoint
    from queues left join pombo.endpoints e
      on e.tenant = queues.tenant and e.account = queues.account and e.id = queues.endpoint
    where queues.endpoint = '${CALLBACK}' or (e.id is not null and e.disabled is null)
  ), front as (
    select first.*, to_endpoint,
      row_number() over (partition by reachable.tenant, reachable.account, reachable.endpoint order by first.due_at, first.n) as turn
    from reachable cross join lateral (
      select n.n, n.due_at, n.held_until from pombo.webhook_deliveries n
      where n.tenant = reachable.tenant and n.account = reachable.account and n.endpoint = reachable.endpoint and n.due_at <= $1
        and n.updated_at >= $5
      order by n.due_at, n.n limit $4 for update skip locked
    ) first
  ), taken as (
    select n, to_endpoint from front where coalesce(held_until, 0) <= $1 order by turn, due_at limit $3
  )
  update pombo.webhook_deliveries n set held_until = $2 from taken where n.n = taken.n returning n.*, taken.to_endpoint
`

/** $5 is the position delivered when it was leased: an earlier one means that it was replayed since. */
const IS_HELD = `${IS_DELIVERY} and delivered_through >= $5`

export const DELIVERED = `
  update pombo.webhook_deliveries set
    delivered_through = $8,
    wanted_through = greatest(wanted_through, $8),
    state = case when wanted_through > $8 then 'pending' else 'delivered' end,
    due_at = case when wanted_through > $8 then $6::bigint end,
    held_until = $9,
    failures = 0,
    last_error = null,
    last_status = coalesce($7, last_status),
    tried_at = case when $7 is null then tried_at else $6 end,
    updated_at = greatest(updated_at, $6)
  where ${IS_HELD} and delivered_through < $8
`

export const FAILED = `
  update pombo.webhook_deliveries set
    state = case when $9::bigint is null then 'failed' else 'pending' end,
    due_at = $9,
    held_until = null,
    failures = failures + 1,
    last_error = $8,
    last_status = $7,
    tried_at = $6,
    updated_at = greatest(updated_at, $6)
  where ${IS_HELD} and state = 'pending'
`

export const RELEASE = `update pombo.webhook_deliveries set held_until = null where ${IS_DELIVERY}`

const REPLAYED = `state = 'pending', delivered_through = 0, failures = 0, held_until = null`

export const REPLAY_ONE = `
  update pombo.webhook_deliveries set ${REPLAYED}, since = $5, due_at = $6 where ${IS_DELIVERY} returning n
`

/** One step through the deliveries that changed since, in the order of their last changes. */
export const REPLAY = `
  with page as (
    select n from pombo.webhook_deliveries
    where ${IS_OF_ENDPOINT} and updated_at <= $5 and (updated_at, n) > ($6, $7) order by updated_at, n limit $8
  ), locked as (
    select k.n from pombo.webhook_deliveries k join page using (n) order by k.message for update of k
  )
  update pombo.webhook_deliveries k set ${REPLAYED}, since = $4, due_at = $5 from locked where k.n = locked.n
  returning k.updated_at, k.n
`

export const RESUME = `
  with page as (
    select n from pombo.webhook_deliveries where ${IS_OF_ENDPOINT} and due_at > $4 order by due_at limit $5
  ), locked as (
    select k.n from pombo.webhook_deliveries k join page using (n) order by k.message for update of k
  )
  update pombo.webhook_deliveries k set due_at = $4 from locked where k.n = locked.n and k.due_at > $4 returning k.n
`

export const FORGET = `
  delete from pombo.webhook_deliveries where n = any(array(
    select n from pombo.webhook_deliveries where updated_at < $1 order by updated_at limit $2 for update skip locked
  )) returning n
`

/** Includes whether the endpoint is disabled. Deliveries of a removed endpoint are left out. */
export const LIST = `
  select n.*, e.disabled from pombo.webhook_deliveries n left join pombo.endpoints e
    on e.tenant = n.tenant and e.account = n.account and e.id = n.endpoint
  where n.tenant = $1 and n.account = $2 and (n.endpoint = '${CALLBACK}' or e.id is not null)
`
