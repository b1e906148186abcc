/**
 * The tables of earlier releases, which take-over.ts empties: a row per event, with the whole state after it. An event
 * stays until its place in the log is reached, also when its message has been moved already.
 */
import type { DatabaseSync } from 'node:sqlite'
import { isHashed, withinMessage } from '../../../domain/ids.ts'
import type { Searchable } from '../../../domain/message/message.ts'
import { type EventTuple, type MessageTuple, type StateTuple, toState } from '../../shared/codec.ts'
import { fromStoredEventId } from '../../shared/event-ids.ts'
import type { StoredEvent } from './event-codec.ts'
import type { NewMessage } from './filed-messages.ts'
import type { SealedContent } from './message-table.ts'
import { changesBetween } from './state-changes.ts'

/** An event in the log: its position, the number that its message had, and its time. */
export type EarlierEvent = Readonly<{ seq: number; n: number; at: number }>
/** `last` is the position of its newest event. */
export type EarlierMessage = NewMessage & Readonly<{ last: number }>

/** Contents in one transaction: as much again is needed on disk while it lasts. */
const MOST_BYTES = 8 * 1024 * 1024

type PageRow = readonly [seq: number, n: number, start: string, size: number]
type EventRow = readonly [seq: number, id: Uint8Array, body: string, sealed: Uint8Array | null]
type MessageRow = readonly [
  facts: string | null,
  moved: number | null,
  secret: Uint8Array | null,
  searchable: string | null,
]

export const hasEarlierTables = (db: DatabaseSync): boolean =>
  db.prepare(`select 1 from sqlite_schema where name = 'earlier_messages'`).get() !== undefined

export class EarlierTables {
  readonly #sql: ReturnType<typeof prepare>

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  /** The position of the newest event. */
  last(): number {
    return Number(this.#sql.last.get()?.['seq'] ?? 0)
  }

  /** The position up to which the index of that release had read the log, and webhook deliveries were queued. */
  queuedThrough(): number {
    return Number(this.#sql.queuedThrough.get()?.['position'] ?? 0)
  }

  /** The first events of the log that are left; fewer if the contents that come with them are large. */
  page(limit: number): readonly EarlierEvent[] {
    const rows = this.#sql.page.all(limit) as unknown as readonly PageRow[]
    let bytes = 0
    const tooMany = rows.findIndex(([, , , size]) => {
      bytes += size
      return bytes > MOST_BYTES
    })
    const taken = tooMany < 0 ? rows : rows.slice(0, Math.max(1, tooMany))
    return taken.map(([seq, n, start]) => ({ seq, n, at: timeIn(start) }))
  }

  /** The number that a message has got, or the message. */
  read(n: number): number | EarlierMessage {
    const row = this.#sql.message.get(n) as unknown as MessageRow | undefined
    if (row === undefined) throw new Error('an event has no message')
    const [facts, moved, secret, json] = row
    if (moved !== null) return moved
    if (facts === null) throw new Error('a message with events has no facts')
    const rows = this.#sql.events.all(n) as unknown as readonly EventRow[]
    const searchable = json === null ? undefined : (JSON.parse(json) as Searchable)
    return { ...toEvents(facts, rows), facts, searchable, content: toContent(secret, rows[0]?.[3]) }
  }

  /** Only its number is left, for the events that are still to come. */
  markMoved(n: number, moved: number): void {
    this.#sql.markMoved.run(moved, n)
    this.#sql.deleteKey.run(n)
  }

  deleteEvents(through: number): void {
    this.#sql.deleteEvents.run(through)
  }
}

/** Once everything was moved. */
export const EMPTY_EARLIER_TABLES = `
  delete from earlier_messages;
  delete from earlier_keys;
`
export const DROP_EARLIER_TABLES = `
  drop table earlier_messages;
  drop table earlier_events;
  drop table earlier_keys;
  delete from progress where name = 'index';
`

/** The secret is empty once it is destroyed. */
const toContent = (secret: Uint8Array | null, sealed: Uint8Array | null | undefined): SealedContent | undefined =>
  secret === null || secret.length === 0 || sealed === null || sealed === undefined ? undefined : { secret, sealed }

/** The time of an event, without decoding the rest of it. */
const timeIn = (body: string): number => Number(/^\[\d+,\d+,(\d+)/.exec(body)?.[1])

function toEvents(facts: string, rows: readonly EventRow[]) {
  const message = JSON.parse(facts) as MessageTuple
  const [id] = message
  let previous: StateTuple | undefined
  const events = rows.map(([seq, stored, body]) => {
    const [cycle, attempt, at, trace, previousStatus, fact, state] = JSON.parse(body) as EventTuple
    const eventId = fromStoredEventId(id, stored)
    const name = isHashed(eventId) ? eventId : withinMessage(eventId)
    const changes = changesBetween(previous, state, at)
    previous = state
    const event: StoredEvent = [seq, name, cycle, attempt, at, trace, previousStatus, fact, changes]
    return JSON.stringify(event)
  })
  if (previous === undefined) throw new Error('a message has no events')
  return { id, events, state: toState(message, previous), last: rows.at(-1)?.[0] ?? 0 }
}

function prepare(db: DatabaseSync) {
  const arrays = (sql: string) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  return {
    last: db.prepare('select max(seq) as seq from earlier_events'),
    queuedThrough: db.prepare(`select position from progress where name = 'index'`),
    page: arrays(`
      select seq, n, substr(body, 1, 64), coalesce(length(sealed), 0) from earlier_events order by seq limit ?
    `),
    message: arrays(`
      select facts, moved, secret, searchable from earlier_messages left join earlier_keys using (n) where n = ?
    `),
    events: arrays('select seq, event_id, body, sealed from earlier_events where n = ? order by seq'),
    markMoved: db.prepare(`update earlier_messages set moved = ?, id = x'', facts = null where n = ?`),
    deleteKey: db.prepare('delete from earlier_keys where n = ?'),
    deleteEvents: db.prepare('delete from earlier_events where seq <= ?'),
  }
}
