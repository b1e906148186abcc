/**
 * The timeline of the cluster profile: events as recorded, independent of the log and the index. The events of a message
 * that are written together are one row. Rows may repeat events of others, after a crash or because two projectors
 * grouped them differently: readers drop those.
 */
import { type EventId, isHashed, type MessageId, withinMessage } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Encoded } from '../../ports/event-log.ts'
import type { Kept, Timeline } from '../../ports/timeline.ts'
import {
  decodeEvent,
  type EventTuple,
  encodeEvent,
  encodeMessage,
  type MessageTuple,
  messageIdOf,
  toEvent,
} from '../shared/codec.ts'
import { fromStoredEventId } from '../shared/event-ids.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database, Rows } from './database.ts'

/** Events of a message are kept in order, so a row that reaches as far has these, or others have. */
const KEEP = `
  insert into pombo.timelines (message, position, tenant, facts, events)
  select message, position, tenant, facts, events
  from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[])
    as given (message, position, tenant, facts, events)
  where not exists (
    select from pombo.timelines kept where kept.message = given.message and kept.position >= given.position
  )
  on conflict do nothing
`

const READ = `
  select position, null as event_id, facts, events as body from pombo.timelines where tenant = $1 and message = $2
  union all
  select position, encode(event_id, 'hex'), facts, body from pombo.message_events where tenant = $1 and message = $2
`

/** Numbered from 0; those from one number up to another, and the newest. */
const PAGE = `
  with events as (
    select distinct on (position) position, place, event_id, facts, body
    from (
      -- Nothing inside a place is looked at as JSON: PostgreSQL has no text for some characters.
      select substring(e.place::text from '^\\[(\\d+)')::bigint as position, e.place::text as place, null as event_id,
        facts, null as body
      from pombo.timelines cross join lateral json_array_elements(events::json) as e (place)
      where tenant = $1 and message = $2
      union all
      select position, null, encode(event_id, 'hex'), facts, body from pombo.message_events
      where tenant = $1 and message = $2
    ) as every
    order by position
  ),
  numbered as (
    select *, (row_number() over (order by position) - 1)::int as n, (count(*) over ())::int as total from events
  )
  select * from numbered
  where n >= least(coalesce($3, total), total) - $4 and n < least(coalesce($3, total), total) or n = total - 1
  order by n
`

type Placed = Readonly<{ position: number; event: MessageEvent }>
/** As `toRow` writes them. */
type StoredEvents = readonly (readonly [position: number, id: string, body: EventTuple])[]

export const postgresTimeline = (db: Database): Timeline => ({
  async keep(events) {
    if (events.length === 0) return
    const rows = [...Map.groupBy(events.map(toPlacing), ({ encoded }) => messageIdOf(encoded.facts))].map(toRow)
    // Always in the same order, so that two projectors never deadlock.
    rows.sort((one, other) => (one.message < other.message ? -1 : 1))
    await db.asSystem(KEEP, [
      ARRAYS.uuid(rows.map(({ message }) => message)),
      ARRAYS.bigint(rows.map(({ position }) => position)),
      ARRAYS.text(rows.map(({ tenant }) => tenant)),
      ARRAYS.text(rows.map(({ facts }) => facts)),
      ARRAYS.text(rows.map(({ events: joined }) => joined)),
    ])
  },

  async read(tenantId, id) {
    const rows = await db.asTenant(tenantId, READ, [tenantId, id])
    const placed = rows.flatMap(({ position, event_id: stored, facts, body }) =>
      stored === null
        ? fromRow(id, String(facts), String(body))
        : [{ position: Number(position), event: decodeEvent(fromHex(id, stored), String(facts), String(body)) }],
    )
    placed.sort((one, other) => one.position - other.position)
    return [...new Map(placed.map(({ event }) => [event.id, event])).values()]
  },

  async page(tenantId, id, { limit, before }) {
    const rows = await db.asTenant(tenantId, PAGE, [tenantId, id, before ?? null, limit])
    const newest = rows.at(-1)
    if (newest === undefined) return undefined
    const total = Number(newest['total'])
    const end = Math.min(before ?? total, total)
    const first = Math.max(0, end - limit)
    const page = rows.filter(({ n }) => Number(n) >= first && Number(n) < end)
    return { events: page.map((row) => toPlaced(id, row)), first, total, state: toPlaced(id, newest).state }
  },
})

function toPlaced(message: MessageId, { place, event_id: stored, facts, body }: Rows[number]): MessageEvent {
  if (place === null) return decodeEvent(fromHex(message, stored), String(facts), String(body))
  const [, id, event] = JSON.parse(String(place)) as StoredEvents[number]
  return toEvent(toLong(message, id), JSON.parse(String(facts)) as MessageTuple, event)
}

const toLong = (message: MessageId, id: string): string => (id.startsWith('.') ? `${message}${id}` : id)

type Placing = Readonly<{ kept: Kept; encoded: Encoded }>

const toPlacing = (kept: Kept): Placing => ({ kept, encoded: kept.encoded ?? encode(kept) })

const encode = ({ event }: Kept): Encoded => ({
  id: event.id,
  facts: encodeMessage(event.state),
  body: encodeEvent(event),
})

function toRow([message, placings]: readonly [MessageId, Placing[]]) {
  placings.sort((one, other) => one.kept.position - other.kept.position)
  const { kept, encoded } = placings.at(-1) as Placing
  const events = placings.map(({ kept: { position: at }, encoded: { id, body } }) => `[${at},"${toShort(id)}",${body}]`)
  // Mostly decoded already, as the newest event of a message.
  const tenant = kept.event.state.tenantId
  return { message, position: kept.position, tenant, facts: encoded.facts, events: `[${events.join()}]` }
}

/** A hash, or what follows the id of the message. */
const toShort = (id: EventId): string => (isHashed(id) ? id : `.${withinMessage(id)}`)

function fromRow(message: MessageId, facts: string, events: string): readonly Placed[] {
  const tuple = JSON.parse(facts) as MessageTuple
  return (JSON.parse(events) as StoredEvents).map(([position, id, body]) => ({
    position,
    event: toEvent(toLong(message, id), tuple, body),
  }))
}

const fromHex = (id: MessageId, hex: unknown): EventId => fromStoredEventId(id, Buffer.from(String(hex), 'hex'))
