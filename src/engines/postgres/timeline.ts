/** The timeline of the cluster profile: events as recorded, independent of the log and the index. */

import type { EventId, MessageId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Timeline } from '../../ports/timeline.ts'
import { decodeEvent, encodeEvent, encodeMessage } from '../shared/codec.ts'
import { fromStoredEventId, toStoredEventId } from '../shared/event-ids.ts'
import type { Database } from './database.ts'

const KEEP = `
  insert into pombo.message_events (message, event_id, tenant, position, facts, body)
  select message, decode(event_id, 'hex'), tenant, position, facts, body
  from json_to_recordset($1::json)
    as given (message uuid, event_id text, tenant text, position bigint, facts text, body text)
  on conflict do nothing
`

const READ = `
  select encode(event_id, 'hex') as event_id, facts, body from pombo.message_events
  where tenant = $1 and message = $2 order by position
`

export const postgresTimeline = (db: Database): Timeline => ({
  async keep(events) {
    if (events.length === 0) return
    // Always in the same order, so that two projectors never deadlock.
    const sorted = events.toSorted(({ event: one }, { event: other }) => (nameOf(one) < nameOf(other) ? -1 : 1))
    const rows = sorted.map(({ position, event }) => ({
      message: event.state.id,
      event_id: toStoredEventId(event.id).toString('hex'),
      tenant: event.state.tenantId,
      position,
      facts: encodeMessage(event.state),
      body: encodeEvent(event),
    }))
    await db.asSystem(KEEP, [JSON.stringify(rows)])
  },

  async read(tenantId, id) {
    const rows = await db.asTenant(tenantId, READ, [tenantId, id])
    return rows.map(({ event_id: stored, facts, body }) =>
      decodeEvent(toEventId(id, stored), String(facts), String(body)),
    )
  },
})

const toEventId = (id: MessageId, hex: unknown): EventId => fromStoredEventId(id, Buffer.from(String(hex), 'hex'))

/** The key of the table. */
const nameOf = ({ id, state }: MessageEvent): string => `${state.id} ${id}`
