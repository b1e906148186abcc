/** The event log in tables: events, the keys that open their content, and the numbers of messages. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Content, Lane } from '../../domain/message/message.ts'
import { toSearchable } from '../../domain/message/searchable.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { FreshChanges } from './fresh-changes.ts'
import type { JobTable } from './job-table.ts'
import type { MessageNumbers } from './message-numbers.ts'

/** An event as shared/codec.ts decodes it, with its position. */
export type EventRow = readonly [seq: number, id: string, facts: string, body: string]
/** Content and searchable are JSON; large content is the bytes of its text. */
export type LoadedRow = readonly [
  ...EventRow,
  content: string | Uint8Array | null,
  /** Only where the content was shredded and this was kept. */
  searchable: string | null,
]
export type ChangesRow = readonly [through: number, rows: readonly FollowedRow[]]
export type FollowedRow = readonly [
  seq: number,
  id: string | Uint8Array,
  facts: string,
  body: string,
  searchable: string | null,
]

/** A row of `append`: an event and what comes with it. */
export type AppendRow = readonly [
  id: MessageId,
  seen: number,
  eventId: string,
  body: string,
  tenant: TenantId,
  /** With the first event: the immutable fields, and the content to seal. */
  facts: string | null,
  content: string | Uint8Array | null,
  /** If content is bytes: the fields that become searchable, and no more. */
  gist: string | null,
  /** The next job, if there is a lane. */
  lane: Lane | null,
  dueAt: number | null,
  /** The lease token of the job that ends. */
  ends: number | null,
  /** The event appended right before it. */
  beforeId: string | null,
  beforeBody: string | null,
]

/** Results of `append` other than the position of the event. */
export const CONFLICT = 0
export const DUPLICATE = -1

export type Sealing = Readonly<{ sealer: Sealer; indexBodies: boolean }>

/** The newest revision of a message, with its newest event and its content or searchable fields while they are cached. */
type Head = {
  readonly n: number
  seq: number
  facts?: string
  event?: EventRow
  content?: string
  searchable?: string
}

/** Content larger than this, in characters or bytes, is passed as bytes and not cached. */
export const LARGE = 16 * 1024

/** So many heads are cached, so that a busy message is not read again for each event. */
const HEADS = 4_096

export class EventTables {
  readonly #sql: ReturnType<typeof prepare>
  readonly #jobs: JobTable
  readonly #sealing: Sealing
  readonly #heads = new LruCache<MessageId, Head>(HEADS)
  readonly #numbers: MessageNumbers
  readonly #fresh = new FreshChanges(0)
  #lastSeq = 0

  constructor(db: DatabaseSync, numbers: MessageNumbers, jobs: JobTable, sealing: Sealing) {
    this.#sql = prepare(db)
    this.#numbers = numbers
    this.#jobs = jobs
    this.#sealing = sealing
    this.recall()
  }

  /** Reloads the cached state from the tables. */
  recall(): void {
    this.#heads.clear()
    this.#lastSeq = Number(this.#sql.lastSeq.get()?.['seq'] ?? 0)
    this.#fresh.clear(this.#lastSeq)
  }

  tip(): number {
    return this.#lastSeq
  }

  numberOf(id: MessageId): number | undefined {
    return this.#headOf(id)?.n
  }

  /** The number of a message that may not have an event yet: a job may come before it. */
  ensureNumber(id: MessageId): number {
    return (this.#headOf(id) ?? this.#begin(id, null)).n
  }

  append(...row: AppendRow): number {
    const [id, seen, eventId, body, tenant, facts, content, gist, lane, dueAt, ends, beforeId, beforeBody] = row
    const head = seen === 0 ? this.#begin(id, facts) : this.#headOf(id)
    if (head === undefined) return CONFLICT
    const key = Buffer.from(eventId, 'hex')
    if (head.seq !== seen) return this.#sql.hasEvent.get(head.n, key) === undefined ? CONFLICT : DUPLICATE

    const sealed = content === null ? null : this.#seal(id, head, tenant, content, gist)
    if (beforeId !== null) this.#precede(head.n, Buffer.from(beforeId, 'hex'), beforeBody ?? '')
    const seq = this.#lastSeq + 1
    if (this.#sql.insertEvent.run(seq, head.n, key, body, sealed).changes === 0) return DUPLICATE
    this.#lastSeq = seq
    this.#move(head, seq, eventId, body, facts, content)
    this.#fresh.add(id, this.#rowAt(head))
    if (ends !== null) this.#jobs.done(head.n, ends)
    if (lane !== null) this.#jobs.replace(head.n, lane, tenant, dueAt)
    return seq
  }

  /** Not cached: the event after it supersedes it at once. */
  #precede(n: number, eventId: Uint8Array, body: string): void {
    const seq = this.#lastSeq + 1
    if (this.#sql.insertEvent.run(seq, n, eventId, body, null).changes > 0) this.#lastSeq = seq
  }

  latest(id: MessageId): EventRow | undefined {
    const head = this.#written(id)
    return head && this.#rowAt(head)
  }

  load(id: MessageId): LoadedRow | undefined {
    const head = this.#written(id)
    if (head === undefined) return undefined
    const content = this.#open(id, head)
    return [...this.#rowAt(head), content, content === null ? this.#searchable(id) : null]
  }

  /** Like `load`, for prefetching: undefined if the content is large. */
  peek(id: MessageId): LoadedRow | undefined {
    const head = this.#written(id)
    return head === undefined || this.#isLarge(head) ? undefined : this.load(id)
  }

  read(id: MessageId): readonly EventRow[] {
    const n = this.numberOf(id)
    if (n === undefined) return []
    return this.#sql.ofMessage.all(n).map(toEventRow)
  }

  shred(id: MessageId, keep?: 'searchable'): void {
    const head = this.#headOf(id)
    if (head === undefined) return
    delete head.content
    if (keep === 'searchable') {
      this.#sql.deleteSecret.run(head.n)
      return
    }
    delete head.searchable
    this.#sql.deleteKey.run(head.n)
  }

  page(after: number, limit: number): readonly FollowedRow[] {
    return this.#sql.page.all(after, limit).map(toFollowedRow)
  }

  /** The newest event of each message in the page, unless a newer one follows after the page. */
  changes(after: number, limit: number): ChangesRow {
    const fresh = this.#fresh.take(after, limit)
    if (fresh === undefined) return this.#readChanges(after, limit)
    const rows = fresh.map(([id, event]): FollowedRow => [...event, this.#searchable(id)])
    return [rows.at(-1)?.[0] ?? after, rows]
  }

  #searchable(id: MessageId): string | null {
    const head = this.#headOf(id)
    if (head === undefined) return null
    const searchable = head.searchable ?? this.#sql.searchable.get(head.n)?.['searchable']
    return typeof searchable === 'string' ? searchable : null
  }

  #readChanges(after: number, limit: number): ChangesRow {
    const newest = new Map<unknown, unknown>()
    let through: unknown = after
    for (const { seq, n } of this.#sql.scan.all(after, limit)) {
      through = seq
      newest.delete(n)
      newest.set(n, seq)
    }
    const rows: FollowedRow[] = []
    for (const [n, seq] of newest) {
      const row = this.#sql.change.get(Number(seq), Number(n), Number(seq))
      if (row !== undefined) rows.push(toFollowedRow(row))
    }
    return [Number(through), rows]
  }

  #headOf(id: MessageId): Head | undefined {
    const cached = this.#heads.get(id)
    if (cached !== undefined) return cached
    const n = this.#numbers.find(id)
    if (n === undefined) return undefined
    return this.#remember(id, { n, seq: Number(this.#sql.newest.get(n)?.['seq'] ?? 0) })
  }

  #written(id: MessageId): Head | undefined {
    const head = this.#headOf(id)
    return head?.seq === 0 ? undefined : head
  }

  /** The head of a new message; one that so far only a job referred to gets its facts now. */
  #begin(id: MessageId, facts: string | null): Head {
    const head = this.#headOf(id)
    if (head === undefined) return this.#remember(id, { n: this.#numbers.add(id, facts), seq: 0 })
    if (head.seq === 0) this.#numbers.setFacts(head.n, facts)
    return head
  }

  #remember(id: MessageId, head: Head): Head {
    this.#heads.set(id, head)
    return head
  }

  #seal(id: MessageId, head: Head, tenant: TenantId, content: string | Uint8Array, gist: string | null): Uint8Array {
    const { sealer, indexBodies } = this.#sealing
    const { sealed, secret } = sealer.seal(id, typeof content === 'string' ? Buffer.from(content) : content)
    const parsed = JSON.parse(gist ?? String(content)) as Content
    head.searchable = JSON.stringify(toSearchable(parsed, (to) => sealer.blind(tenant, to), indexBodies))
    this.#sql.insertKey.run(head.n, secret, head.searchable)
    return sealed
  }

  #move(head: Head, seq: number, eventId: string, body: string, facts: string | null, content: AppendRow[6]): void {
    head.seq = seq
    if (facts !== null) head.facts = facts
    if (typeof content === 'string') head.content = content
    if (head.facts !== undefined) head.event = [seq, eventId, head.facts, body]
  }

  #open(id: MessageId, head: Head): LoadedRow[4] {
    if (head.content !== undefined) return head.content
    const row = this.#sql.sealed.get(head.n)
    if (row === undefined) return null
    const plain = this.#sealing.sealer.open(id, bytes(row['sealed']), bytes(row['secret']))
    return plain.length > LARGE ? plain : Buffer.from(plain).toString()
  }

  #isLarge(head: Head): boolean {
    return head.content === undefined && Number(this.#sql.sealedSize.get(head.n)?.['size'] ?? 0) > LARGE
  }

  #rowAt(head: Head): EventRow {
    if (head.event !== undefined) return head.event
    const row = this.#sql.event.get(head.seq)
    if (row === undefined) throw new Error("a message's newest event is not in the log")
    head.event = toEventRow(row)
    head.facts = head.event[2]
    return head.event
  }
}

const EVENT = 'seq, lower(hex(event_id)) as event_id, facts, body from events join messages using (n)'

function prepare(db: DatabaseSync) {
  return {
    lastSeq: db.prepare('select max(seq) as seq from events'),
    newest: db.prepare('select max(seq) as seq from events where n = ?'),
    insertKey: db.prepare('insert into keys (n, secret, searchable) values (?, ?, ?)'),
    insertEvent: db.prepare('insert or ignore into events (seq, n, event_id, body, sealed) values (?, ?, ?, ?, ?)'),
    hasEvent: db.prepare('select 1 from events where n = ? and event_id = ?'),
    event: db.prepare(`select ${EVENT} where seq = ?`),
    sealed: db.prepare(`
      select sealed, secret from keys join events using (n) where n = ? and sealed is not null and secret <> x''
    `),
    sealedSize: db.prepare('select length(sealed) as size from events where n = ? and sealed is not null'),
    ofMessage: db.prepare(`select ${EVENT} where n = ? order by seq`),
    searchable: db.prepare('select searchable from keys where n = ?'),
    deleteSecret: db.prepare(`update keys set secret = x'' where n = ?`),
    deleteKey: db.prepare('delete from keys where n = ?'),
    scan: db.prepare('select seq, n from events where seq > ? order by seq limit ?'),
    change: db.prepare(`
      select seq, event_id, facts, body, (select searchable from keys where keys.n = events.n) as searchable
      from events join messages using (n)
      where seq = ? and (select max(seq) from events where n = ?) = ?
    `),
    page: db.prepare(`
      select seq, event_id, facts, body,
        case when sealed is not null then (select searchable from keys where keys.n = events.n) end as searchable
      from events join messages using (n) where seq > ? order by seq limit ?
    `),
  }
}

const toEventRow = (row: Record<string, unknown>): EventRow => [
  Number(row['seq']),
  String(row['event_id']),
  String(row['facts']),
  String(row['body']),
]

function toFollowedRow(row: Record<string, unknown>): FollowedRow {
  const { seq, facts, body, searchable } = row
  return [
    Number(seq),
    bytes(row['event_id']),
    String(facts),
    String(body),
    typeof searchable === 'string' ? searchable : null,
  ]
}

function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new Error('unexpected column type: bytes expected')
}
