/**
 * Counts in the statement that writes messages: what it has inserted or changed, and as what that was counted before. An
 * update keeps the latter in columns of the row, as PostgreSQL returns only new values. Triggers count what releases
 * write that know nothing of it: they do nothing while `pombo.counting` is on.
 */
import type { MessageState } from '../../domain/message/state.ts'
import { ARRAYS } from './binary-arrays.ts'

export const COUNTING = { text: `set local pombo.counting = on` } as const

/** What an update keeps of the row that it replaces, `m`. */
export const toKept = (isSame: string): string => `
  was_shape = case when ${isSame} then m.shape else 0 end, was_handed_off_at = m.handed_off_at,
  was_delivered_at = pombo.delivered_at(m.provider_state, m.ended_at),
  added_handoffs = case when ${isSame} and excluded.handoffs is not null
    then excluded.handoffs - array(select jsonb_object_keys(m.handoffs)) end
`

/** What usage is counted by and rows do not have: arrays of as many elements as there are rows. */
export const toBilled = (states: readonly MessageState[]): Buffer[] => [
  ARRAYS.text(states.map(({ accountId }) => accountId.toWellFormed().replaceAll('\0', '\ufffd'))),
  ARRAYS.text(states.map(({ country = '' }) => country)),
  ARRAYS.bigint(states.map(({ segments }) => segments)),
]
export const BILLED = 3

export const APPLIED = `id, tenant, channel, forgotten, created_at, shape, handed_off_at,
  pombo.delivered_at(provider_state, ended_at) as delivered_at, was_shape, was_handed_off_at, was_delivered_at,
  handoffs, added_handoffs, xmax = 0 as is_new`

const IS_CHANGED = `(was_shape is distinct from shape or was_handed_off_at is distinct from handed_off_at
  or was_delivered_at is distinct from delivered_at)`

const latencies = (since: string, until: string): string =>
  `array_agg(pombo.latency(${since}, ${until})) filter (where ${since} is not null and ${until} is not null)`

/** The changes of the counts, and of usage. The ids are $2, and what is billed begins at the parameter `first`. */
export const toCounted = (first: number): string => `
  counted as (
    insert into pombo.count_changes (tenant, minute, shape, times, count, handoffs, deliveries)
    select tenant, pombo.start_of(60000, created_at), shape, times, count(*),
      ${latencies('created_at', 'handed_off_at')}, ${latencies('handed_off_at', 'delivered_at')}
    from (
      select tenant, created_at, shape, 1 as times, handed_off_at, delivered_at from applied
      where ${IS_CHANGED}
      union all
      select tenant, created_at, was_shape, -1, was_handed_off_at, was_delivered_at from applied
      where was_shape > 0 and ${IS_CHANGED}
    ) as changed
    group by 1, 2, 3, 4
  ),
  billed as (
    insert into pombo.usage_records as known (tenant, day, account, channel, country, provider, sent, messages, segments)
    select tenant, day, account, channel, country, provider, sent, count(*), sum(segments)
    from (
      select id, tenant, channel, pombo.day_of(created_at) as day, '' as provider, false as sent
      from applied where is_new
      union all
      select id, tenant, channel, pombo.day_of((handoff ->> 0)::bigint), coalesce(handoff ->> 1, ''), true
      from applied cross join lateral jsonb_each(case when is_new then handoffs else added_handoffs end) as h (n, handoff)
      where was_shape is distinct from 0
    ) as used
    join unnest($2::uuid[], $${first}::text[], $${first + 1}::text[], $${first + 2}::bigint[])
      as told (id, account, country, segments) using (id)
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (tenant, day, account, channel, country, provider, sent) do update
      set messages = known.messages + excluded.messages, segments = known.segments + excluded.segments
  )
`
