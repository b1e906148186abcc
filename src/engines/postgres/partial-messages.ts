/** The parts of long messages that have not all arrived, in the cluster profile: any process may get any part. */
import { INCOMPLETE_KEPT_FOR, type PartialMessages } from '../../ports/partial-messages.ts'
import { toPartialMessage } from '../shared/receipt-rows.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database } from './database.ts'

/** Rows deleted per step: few enough for the statement timeout. */
const STEP = 200

const IS_JOINT = 'm.tenant = $1 and m.account = $2 and m.joint = $3'
const PARTS = `
  (select coalesce(json_agg(json_build_array(p.number, p.sealed)), '[]')::text from pombo.message_parts p where p.message = m.id)
`
const IS_WHOLE = 'not m.joined and (select count(*) from pombo.message_parts p where p.message = m.id) = m.total'

/** Parts that arrive at once are added one after another, so that each sees those before it. */
const IN_TURN = 'select pg_advisory_xact_lock(7026631, hashtext($1::text))'

/** Sets a message aside for the one with the id $7, which takes over what was sent again of the parts before $5. */
const SUPERSEDE = `
  with superseded as (
    update pombo.partial_messages m set joint = m.joint || ' ' || m.id where ${IS_JOINT} and (m.until_at <= $4 or exists (
      select from pombo.message_parts p where p.message = m.id and p.number = $5 and p.digest <> $6
    )) returning m.id, m.until_at
  )
  insert into pombo.message_parts (message, number, tenant, digest, sealed, repeats)
  select $7::uuid, p.number, p.tenant, p.digest, p.sealed, p.repeats - 1 from superseded s join pombo.message_parts p on p.message = s.id
  where s.until_at > $4 and p.number < $5 and p.repeats > 0
`

const BEGIN = `
  insert into pombo.partial_messages (id, tenant, account, joint, total, joined, until_at)
  values ($4, $1, $2, $3, $5, false, $6) on conflict (tenant, account, joint) do nothing
`

const ADD = `
  insert into pombo.message_parts as p (message, number, tenant, digest, sealed)
  select m.id, $4::bigint, m.tenant, $5::text, $6::text from pombo.partial_messages m where ${IS_JOINT}
  on conflict (message, number) do update set
    repeats = p.repeats + 1, sealed = case when p.sealed = '' then excluded.sealed else p.sealed end
`

const FIND = `select m.*, case when ${IS_WHOLE} then ${PARTS} end as parts from pombo.partial_messages m where ${IS_JOINT}`

const CLEAR = `update pombo.message_parts set sealed = '' where message = $1 and repeats = 0`
const COMPLETE = 'update pombo.partial_messages set joined = true, until_at = $2 where id = $1'
const RETRACT = 'delete from pombo.message_parts where message = $1 and number = $2'
const REMOVE_PARTS = 'delete from pombo.message_parts where message = any($1::uuid[])'
const REMOVE = 'delete from pombo.partial_messages where id = any($1::uuid[])'

const TAKE = `
  with due as (
    select m.id from pombo.partial_messages m join unnest($1::text[], $2::text[]) as a (tenant, account) using (tenant, account)
    where m.until_at <= $3 and not m.joined and coalesce(m.held_until, 0) <= $3
    order by m.until_at limit $5 for update of m skip locked
  )
  update pombo.partial_messages m set held_until = $4 from due where m.id = due.id returning m.*, ${PARTS} as parts
`

const FORGET = `
  with forgotten as (
    delete from pombo.partial_messages where id = any(array(
      select id from pombo.partial_messages where until_at <= $1 and (joined or until_at <= $2)
      order by until_at limit $3 for update skip locked
    )) returning id
  ), parts as (
    delete from pombo.message_parts p using forgotten where p.message = forgotten.id
  )
  select id from forgotten
`

export const postgresPartialMessages = (db: Database): PartialMessages => ({
  async add({ tenantId, accountId, joint, id, number, total, digest, sealed, at, until }) {
    const key = [tenantId, accountId, joint]
    const [row] = await db.asSystem(FIND, key, [
      { text: IN_TURN, values: [key.join(' ')] },
      { text: SUPERSEDE, values: [...key, at, number, digest, id] },
      { text: BEGIN, values: [...key, id, total, until] },
      { text: ADD, values: [...key, number, digest, sealed] },
    ])
    return toPartialMessage(row ?? {})
  },

  async complete(id, until) {
    await db.asSystem(COMPLETE, [id, until], [{ text: CLEAR, values: [id] }])
  },

  async retract(id, number) {
    await db.asSystem(RETRACT, [id, number])
  },

  async takeIncomplete(accounts, at, leasedUntil, max) {
    if (accounts.length === 0) return []
    const tenants = ARRAYS.text(accounts.map(({ tenantId }) => tenantId))
    const names = ARRAYS.text(accounts.map(({ accountId }) => accountId))
    return (await db.asSystem(TAKE, [tenants, names, at, leasedUntil, max])).map(toPartialMessage)
  },

  async remove(ids) {
    if (ids.length === 0) return
    const values = [ARRAYS.uuid(ids)]
    await db.asSystem(REMOVE, values, [{ text: REMOVE_PARTS, values }])
  },

  forget: async (at) => (await db.asSystem(FORGET, [at, at - INCOMPLETE_KEPT_FOR, STEP])).length === STEP,
})
