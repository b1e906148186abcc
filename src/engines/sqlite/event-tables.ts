/** The event log in tables: the events, the keys that open their content, and the numbers of messages. */
import type { DatabaseSync } from 'node:sqlite'
import type { EventId, MessageId } from '../../domain/ids.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { messageIdOf } from '../shared/codec.ts'
import { fromStoredEventId, toStoredEventId } from '../shared/event-ids.ts'

/** An event as shared/codec.ts decodes it, with its position. */
export type EventRow = readonly [seq: number, id: EventId, facts: string, body: string]
/** `searchable` is JSON. */
export type FollowedRow = readonly [...EventRow, searchable: string | null]
/** JSON; large content is the bytes of its text. `searchable` only where the content was shredded and this was kept. */
export type ContentRow = readonly [content: string | Uint8Array | null, searchable: string | null]

type Row = Readonly<Record<string, unknown>>

export class EventTables {
  readonly #sql: ReturnType<typeof prepare>
  readonly #sealer: Sealer

  constructor(db: DatabaseSync, sealer: Sealer) {
    this.#sql = prepare(db)
    this.#sealer = sealer
  }

  /** The position of the newest event. */
  last(): number {
    return Number(this.#sql.last.get()?.['seq'] ?? 0)
  }

  /** The position of the newest event of a message, or zero. */
  lastOf(n: number): number {
    return Number(this.#sql.lastOf.get(n)?.['seq'] ?? 0)
  }

  insert(n: number, seq: number, eventId: EventId, body: string, sealed: Uint8Array | null): void {
    this.#sql.insert.run(seq, n, toStoredEventId(eventId), body, sealed)
  }

  /** Seals the content of a new message; its first event holds the result. */
  seal(n: number, id: MessageId, content: string, searchable: string): Uint8Array {
    const { sealed, secret } = this.#sealer.seal(id, Buffer.from(content))
    this.#sql.insertKey.run(n, secret, searchable)
    return sealed
  }

  open(n: number, id: MessageId): Uint8Array | undefined {
    const row = this.#sql.sealed.get(n)
    return row && this.#sealer.open(id, bytes(row['sealed']), bytes(row['secret']))
  }

  searchable(n: number): string | null {
    return textOrNull(this.#sql.searchable.get(n)?.['searchable'])
  }

  read(n: number): readonly EventRow[] {
    return this.#sql.ofMessage.all(n).map(toEventRow)
  }

  page(after: number, limit: number): readonly FollowedRow[] {
    return this.#sql.page.all(after, limit).map((row) => [...toEventRow(row), textOrNull(row['searchable'])])
  }

  /** Like `page`, with the searchable fields of every message. */
  pageWithSearchable(after: number, limit: number): readonly FollowedRow[] {
    return this.#sql.pageWithSearchable
      .all(after, limit)
      .map((row) => [...toEventRow(row), textOrNull(row['searchable'])])
  }

  shred(n: number, keep?: 'searchable'): void {
    if (keep === 'searchable') this.#sql.deleteSecret.run(n)
    else this.#sql.deleteKey.run(n)
  }
}

const EVENT = 'seq, event_id, facts, body'

function prepare(db: DatabaseSync) {
  return {
    last: db.prepare('select max(seq) as seq from events'),
    lastOf: db.prepare('select max(seq) as seq from events where n = ?'),
    insertKey: db.prepare('insert into keys (n, secret, searchable) values (?, ?, ?)'),
    insert: db.prepare('insert into events (seq, n, event_id, body, sealed) values (?, ?, ?, ?, ?)'),
    sealed: db.prepare(`
      select sealed, secret from keys join events using (n) where n = ? and sealed is not null and secret <> x''
    `),
    ofMessage: db.prepare(`select ${EVENT} from events join messages using (n) where n = ? order by seq`),
    searchable: db.prepare('select searchable from keys where n = ?'),
    deleteSecret: db.prepare(`update keys set secret = x'' where n = ?`),
    deleteKey: db.prepare('delete from keys where n = ?'),
    page: db.prepare(`
      select ${EVENT}, case when sealed is not null then (select searchable from keys where keys.n = events.n) end as searchable
      from events join messages using (n) where seq > ? order by seq limit ?
    `),
    pageWithSearchable: db.prepare(`
      select ${EVENT}, (select searchable from keys where keys.n = events.n) as searchable
      from events join messages using (n) where seq > ? order by seq limit ?
    `),
  }
}

function toEventRow(row: Row): EventRow {
  const facts = String(row['facts'])
  return [Number(row['seq']), fromStoredEventId(messageIdOf(facts), bytes(row['event_id'])), facts, String(row['body'])]
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new Error('unexpected column type: bytes expected')
}
