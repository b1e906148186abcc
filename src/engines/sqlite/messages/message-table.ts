/**
 * The table of messages: one row each, with all its events, the columns that lists filter by, and what search may see.
 * `n` is a message's number in this file. Sealed contents are in a table of their own: they are large, and a row is
 * rewritten with every late event.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Latencies } from './counts.ts'
import { assertSound, checksumOf } from './row-checksum.ts'

export const MESSAGE_TABLES = `
  create table messages (
    n integer primary key,
    -- The newest event.
    seq integer not null,
    -- What lists filter by, see shapes.ts.
    shape integer not null,
    created_at integer not null,
    handoff_ms integer,
    delivery_ms integer,
    silent_since integer,
    stalled_since integer,
    -- The immutable fields, with the id first: see shared/codec.ts.
    facts text not null,
    -- See event-codec.ts.
    events text not null,
    -- JSON; null once the message is erased.
    searchable text,
    -- See row-checksum.ts.
    checksum integer not null
  ) strict;
  -- Lists are newest first.
  create index messages_shape on messages (shape, created_at);
  create index messages_silent on messages (silent_since) where silent_since is not null;
  create index messages_stalled on messages (stalled_since) where stalled_since is not null;

  -- Without its row here, a message's content is gone.
  create table contents (
    n integer primary key,
    secret blob not null,
    sealed blob not null
  ) strict;
`

/** A message as filed; `searchable` is JSON. */
export type MessageRow = Readonly<{ n: number; seq: number; facts: string; events: string; searchable: string | null }>

/** What changes with an event. */
type Columns = Readonly<{
  shape: number
  latencies: Latencies
  silentSince: number | null
  stalledSince: number | null
}>

export class MessageTable {
  readonly #sql: ReturnType<typeof prepare>

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  insert({ n, seq, facts, events, searchable }: MessageRow, createdAt: number, columns: Columns): void {
    const checksum = checksumOf({ facts, events, searchable })
    this.#sql.insert.run(n, createdAt, facts, searchable, seq, events, checksum, ...toValues(columns))
  }

  /** The row with further events. */
  update(row: MessageRow, columns: Columns): void {
    this.#sql.update.run(row.seq, row.events, checksumOf(row), ...toValues(columns), row.n)
  }

  /** Writes what is derived from the events, if it differs. */
  correct(n: number, seq: number, createdAt: number, columns: Columns): void {
    this.#sql.correct.run(n, createdAt, seq, ...toValues(columns))
  }

  /** Deletes what search may see. */
  forget({ n, facts, events }: MessageRow): void {
    this.#sql.forget.run(checksumOf({ facts, events, searchable: null }), n)
  }

  delete(n: number): void {
    this.#sql.deleteContent.run(n)
    this.#sql.delete.run(n)
  }

  read(n: number): MessageRow | undefined {
    const row = this.#sql.read.get(n)
    return row && toMessageRow(row)
  }

  /** Without reading them. */
  eventBytes(n: number): number {
    return Number(this.#sql.eventBytes.get(n)?.['bytes'] ?? 0)
  }

  /** The messages from one number to another, in order. */
  readRange(first: number, last: number): readonly MessageRow[] {
    return this.#sql.readRange.all(first, last).map(toMessageRow)
  }

  /** Up to `limit` messages after this one, in order. */
  readAfter(n: number, limit: number): readonly MessageRow[] {
    return this.#sql.readAfter.all(n, limit).map(toMessageRow)
  }

  /** All messages after this one, in order. */
  *iterateAfter(n: number): Iterable<MessageRow> {
    for (const row of this.#sql.iterateAfter.iterate(n)) yield toMessageRow(row)
  }

  insertContent(n: number, { secret, sealed }: SealedContent): void {
    this.#sql.insertContent.run(n, secret, sealed)
  }

  content(n: number): SealedContent | undefined {
    const row = this.#sql.content.get(n)
    return row && { secret: bytes(row['secret']), sealed: bytes(row['sealed']) }
  }

  deleteContent(n: number): void {
    this.#sql.deleteContent.run(n)
  }

  /** Zero once it is deleted. */
  contentBytes(n: number): number {
    return Number(this.#sql.contentBytes.get(n)?.['bytes'] ?? 0)
  }

  /** The largest number that was ever used: numbers of deleted messages are not used again. */
  last(): number {
    return Number(this.#sql.last.get()?.['n'])
  }
}

/** Content sealed by `Sealer`, and the secret that opens it. */
export type SealedContent = Readonly<{ secret: Uint8Array; sealed: Uint8Array }>

const VARYING = ['seq', 'events', 'checksum', 'shape', 'handoff_ms', 'delivery_ms', 'silent_since', 'stalled_since']
const FIXED = ['n', 'created_at', 'facts', 'searchable']
const STORED = ['events', 'checksum']
const DERIVED = ['created_at', ...VARYING.filter((column) => !STORED.includes(column))]

/** In the order of `VARYING`, after the first three. */
const toValues = ({ shape, latencies: { handoff, delivery }, silentSince, stalledSince }: Columns) =>
  [shape, handoff ?? null, delivery ?? null, silentSince, stalledSince] as const

function prepare(db: DatabaseSync) {
  const inserted = [...FIXED, ...VARYING]
  const row = 'n, seq, facts, events, searchable, checksum'
  const values = DERIVED.map((_, index) => `?${index + 2}`).join(', ')
  return {
    last: db.prepare(`
      select max(coalesce((select max(n) from messages), 0), coalesce((select max(last) from filings), 0)) as n
    `),
    insert: db.prepare(`insert into messages (${inserted.join(', ')}) values (${inserted.map(() => '?').join(', ')})`),
    update: db.prepare(`update messages set ${VARYING.map((column) => `${column} = ?`).join(', ')} where n = ?`),
    correct: db.prepare(`
      update messages set (${DERIVED.join(', ')}) = (${values}) where n = ?1 and (${DERIVED.join(', ')}) is not (${values})
    `),
    forget: db.prepare('update messages set searchable = null, checksum = ? where n = ?'),
    delete: db.prepare('delete from messages where n = ?'),
    read: db.prepare(`select ${row} from messages where n = ?`),
    eventBytes: db.prepare('select octet_length(events) as bytes from messages where n = ?'),
    readRange: db.prepare(`select ${row} from messages where n between ? and ? order by n`),
    readAfter: db.prepare(`select ${row} from messages where n > ? order by n limit ?`),
    iterateAfter: db.prepare(`select ${row} from messages where n > ? order by n`),
    insertContent: db.prepare('insert into contents (n, secret, sealed) values (?, ?, ?)'),
    content: db.prepare('select secret, sealed from contents where n = ?'),
    deleteContent: db.prepare('delete from contents where n = ?'),
    contentBytes: db.prepare('select length(secret) + length(sealed) as bytes from contents where n = ?'),
  }
}

/** Reads a row with all columns of `MessageRow` and the checksum; refuses a damaged one. */
export function toMessageRow(row: Readonly<Record<string, unknown>>): MessageRow {
  const found = {
    n: Number(row['n']),
    seq: Number(row['seq']),
    facts: String(row['facts']),
    events: String(row['events']),
    searchable: typeof row['searchable'] === 'string' ? row['searchable'] : null,
  }
  assertSound(found.n, found, row['checksum'])
  return found
}

function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new Error('unexpected column type: bytes expected')
}
