/**
 * Reads events from the tables, a bounded part at a time, in a thread that writes nothing: the timeline of a message, and
 * the events of one tenant in the order of the log.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { EventId, MessageId, TenantId } from '../../../domain/ids.ts'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Changes, EventsPage, EventsQuery, Followed, Position, Revision } from '../../../ports/event-log.ts'
import { messageIdOf } from '../../shared/codec.ts'
import type { Table } from '../tables.ts'
import { decodeEvents, decodePage, eventIdOf, parseEvents, type StoredEvent } from './event-codec.ts'
import type { LongTimeline } from './event-reader.ts'
import { Filings } from './filings.ts'
import { type MessageRow, toMessageRow } from './message-table.ts'

type EventPages = Readonly<{
  timeline: (id: MessageId, of: LongTimeline, query: EventsQuery) => EventsPage | undefined
  newest: (id: MessageId, of: LongTimeline) => NewestEvent | undefined
  after: (asked: EventsAfter) => Changes
}>

/** With the ids of all events of the message. */
export type NewestEvent = Readonly<{ event: MessageEvent; revision: Revision; ids: readonly EventId[] }>

/** `filed`: all events up to this position are in the tables. */
export type EventsAfter = Readonly<{ from: Position; filed: Position; tenantId: TenantId; limit: number }>

/** So many messages are looked at for one page, of any tenant. */
const MOST_MESSAGES = 2_048

export function eventPages(db: DatabaseSync) {
  const filings = new Filings(db)
  const sql = prepare(db)

  const rowsOf = (n: number): readonly MessageRow[] => sql.read.all(n).map(toMessageRow)

  /** Where the events of a tenant after a position are, and up to where they are all there. */
  function find({ from, filed, tenantId, limit }: EventsAfter): Readonly<{ found: readonly Place[]; through: number }> {
    const found = new Map<number, Place>()
    let looked = 0
    for (const { through, added, others } of filings.after(from)) {
      looked += added.last - added.first + 1 + others.length
      const note = ({ n, events }: MessageRow): void => {
        for (const [seq] of parseEvents(events)) if (seq > from) found.set(seq, { seq, n })
      }
      for (const row of sql.range.iterate(added.first, added.last, tenantId)) note(toMessageRow(row))
      for (const n of others) for (const row of sql.one.iterate(n, tenantId)) note(toMessageRow(row))
      // Filings overlap: what comes after `through` may have gaps until the next one is read.
      const isEnough = found.size >= limit || looked >= MOST_MESSAGES
      if (isEnough && through > from) return { found: upTo(through, found), through }
    }
    return { found: upTo(filed, found), through: filed }
  }

  /** All events of a message, whether they are in its row yet or not. */
  function read(id: MessageId, { numbers, unfiled }: LongTimeline) {
    const row = numbers.flatMap(rowsOf).find(({ facts }) => messageIdOf(facts) === id)
    if (row === undefined) return undefined
    const newer = unfiled.map((event) => JSON.parse(event) as StoredEvent).filter(([seq]) => seq > row.seq)
    return { facts: row.facts, events: [...parseEvents(row.events), ...newer] }
  }

  return {
    reads: {
      timeline(id, of, query) {
        const found = read(id, of)
        return found && decodePage(found.facts, found.events, query)
      },

      newest(id, of) {
        const { facts = '', events = [] } = read(id, of) ?? {}
        const last = events.at(-1)
        if (last === undefined) return undefined
        const [event] = decodePage(facts, events, { limit: 1 }).events
        const ids = events.map((stored) => eventIdOf(id, stored))
        return event && { event, revision: last[0] as Revision, ids }
      },

      after(asked) {
        const { found, through } = find(asked)
        const page = found.slice(0, asked.limit)
        const wanted = new Set(page.map(({ seq }) => seq))
        const events = [...new Set(page.map(({ n }) => n))].flatMap(rowsOf).flatMap((row) => toFollowed(row, wanted))
        const last = found.length > page.length ? page.at(-1)?.seq : undefined
        return { through: (last ?? Math.max(asked.from, through)) as Position, events: events.toSorted(byPosition) }
      },
    },
  } satisfies Table<EventPages>
}

type Place = Readonly<{ seq: number; n: number }>

const upTo = (through: number, found: ReadonlyMap<number, Place>): readonly Place[] =>
  [...found.values()].filter(({ seq }) => seq <= through).toSorted((one, other) => one.seq - other.seq)

const toFollowed = ({ facts, events }: MessageRow, wanted: ReadonlySet<number>): readonly Followed[] =>
  decodeEvents(facts, events)
    .filter(({ position }) => wanted.has(position))
    .map((recorded) => ({ ...recorded, messageId: messageIdOf(facts) }))

const byPosition = (one: Followed, other: Followed): number => one.position - other.position

function prepare(db: DatabaseSync) {
  const row = 'n, seq, facts, events, searchable, checksum'
  return {
    read: db.prepare(`select ${row} from messages where n = ?`),
    // The tenant is in the facts, which are looked at before the events are read.
    one: db.prepare(`select ${row} from messages where n = ? and facts ->> 1 = ?`),
    range: db.prepare(`select ${row} from messages where n between ? and ? and facts ->> 1 = ?`),
  }
}
