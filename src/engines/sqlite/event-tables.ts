/** The log in tables: events, the keys that open their content, and the numbers messages go by here. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Content, Lane } from '../../domain/message.ts'
import { toSearchable } from '../../domain/searchable.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { JobTable } from './job-table.ts'

/** Texts are JSON. */
export type EventRow = readonly [seq: number, body: string]
export type LoadedRow = readonly [seq: number, body: string, content: string | null]
export type FollowedRow = readonly [seq: number, body: string, searchable: string | null]

/** What `append` answers when it did not append; otherwise it answers the event's place. */
export const CONFLICT = 0
export const DUPLICATE = -1

export type Sealing = Readonly<{ sealer: Sealer; indexBodies: boolean }>

/** Where a message's stream stands. */
type Head = { readonly n: number; seq: number }

/** The heads of this many messages are kept at hand, so that a busy one is not looked up for each event. */
const HEADS = 50_000

export class EventTables {
  readonly #sql: ReturnType<typeof prepare>
  readonly #jobs: JobTable
  readonly #sealing: Sealing
  readonly #heads = new Map<MessageId, Head>()
  #lastSeq = 0
  #lastN = 0

  constructor(db: DatabaseSync, jobs: JobTable, sealing: Sealing) {
    this.#sql = prepare(db)
    this.#jobs = jobs
    this.#sealing = sealing
    this.recall()
  }

  /** Takes what it remembers from the tables again. */
  recall(): void {
    this.#heads.clear()
    this.#lastSeq = Number(this.#sql.lastSeq.get()?.['seq'] ?? 0)
    this.#lastN = Number(this.#sql.lastN.get()?.['n'] ?? 0)
  }

  tip(): number {
    return this.#lastSeq
  }

  numberOf(id: MessageId): number | undefined {
    return this.#headOf(id)?.n
  }

  /** The number of a message that need not have an event yet: a job may come before it. */
  ensureNumber(id: MessageId): number {
    return (this.#headOf(id) ?? this.#begin(id)).n
  }

  append(
    id: MessageId,
    seen: number,
    eventId: string,
    body: string,
    content: string | null,
    tenant: TenantId,
    lane: Lane | null,
    dueAt: number | null,
  ): number {
    const head = this.#headOf(id) ?? this.#begin(id)
    // Half of a sha256 is plenty to tell the events of one message apart.
    const key = Buffer.from(eventId.slice(0, 32), 'hex')
    if (head.seq !== seen) return this.#sql.hasEvent.get(head.n, key) === undefined ? CONFLICT : DUPLICATE

    const sealed = content === null ? null : this.#seal(id, head.n, content, tenant)
    const seq = this.#lastSeq + 1
    if (this.#sql.insertEvent.run(seq, head.n, key, body, sealed).changes === 0) return DUPLICATE
    this.#lastSeq = seq
    head.seq = seq
    if (lane !== null) this.#jobs.replace(head.n, lane, tenant, dueAt)
    return seq
  }

  latest(id: MessageId): EventRow | undefined {
    const head = this.#written(id)
    return head && [head.seq, this.#bodyAt(head.seq)]
  }

  load(id: MessageId): LoadedRow | undefined {
    const head = this.#written(id)
    return head && [head.seq, this.#bodyAt(head.seq), this.#open(id, head.n)]
  }

  read(id: MessageId): readonly EventRow[] {
    const n = this.numberOf(id)
    if (n === undefined) return []
    return this.#sql.ofMessage.all(n).map((row) => [Number(row['seq']), String(row['body'])])
  }

  shred(id: MessageId): void {
    const n = this.numberOf(id)
    if (n !== undefined) this.#sql.deleteKey.run(n)
  }

  page(after: number, limit: number): readonly FollowedRow[] {
    return this.#sql.page
      .all(after, limit)
      .map((row) => [Number(row['seq']), String(row['body']), text(row['searchable'])])
  }

  #headOf(id: MessageId): Head | undefined {
    const known = this.#heads.get(id)
    if (known !== undefined) return known
    const row = this.#sql.head.get(toBlob(id))
    return row && this.#remember(id, { n: Number(row['n']), seq: Number(row['seq']) })
  }

  #written(id: MessageId): Head | undefined {
    const head = this.#headOf(id)
    return head?.seq === 0 ? undefined : head
  }

  #begin(id: MessageId): Head {
    this.#lastN += 1
    this.#sql.insertMessage.run(this.#lastN, toBlob(id))
    return this.#remember(id, { n: this.#lastN, seq: 0 })
  }

  #remember(id: MessageId, head: Head): Head {
    if (this.#heads.size >= HEADS) for (const oldest of this.#heads.keys()) if (this.#heads.delete(oldest)) break
    this.#heads.set(id, head)
    return head
  }

  #seal(id: MessageId, n: number, content: string, tenant: TenantId): Uint8Array {
    const { sealer, indexBodies } = this.#sealing
    const { sealed, secret } = sealer.seal(id, Buffer.from(content))
    const parsed = JSON.parse(content) as Content
    const searchable = toSearchable(parsed, sealer.blind(tenant, parsed.to), indexBodies)
    this.#sql.insertKey.run(n, secret, JSON.stringify(searchable))
    return sealed
  }

  #open(id: MessageId, n: number): string | null {
    const row = this.#sql.sealed.get(n)
    if (row === undefined) return null
    return Buffer.from(this.#sealing.sealer.open(id, bytes(row['sealed']), bytes(row['secret']))).toString()
  }

  #bodyAt(seq: number): string {
    return String(this.#sql.body.get(seq)?.['body'])
  }
}

function prepare(db: DatabaseSync) {
  return {
    lastSeq: db.prepare('select max(seq) as seq from events'),
    lastN: db.prepare('select max(n) as n from messages'),
    head: db.prepare(`
      select n, coalesce((select max(seq) from events where events.n = messages.n), 0) as seq from messages where id = ?
    `),
    insertMessage: db.prepare('insert into messages (n, id) values (?, ?)'),
    insertKey: db.prepare('insert into keys (n, secret, searchable) values (?, ?, ?)'),
    insertEvent: db.prepare('insert or ignore into events (seq, n, event_id, body, sealed) values (?, ?, ?, ?, ?)'),
    hasEvent: db.prepare('select 1 from events where n = ? and event_id = ?'),
    body: db.prepare('select body from events where seq = ?'),
    sealed: db.prepare('select sealed, secret from keys join events using (n) where n = ? and sealed is not null'),
    ofMessage: db.prepare('select seq, body from events where n = ? order by seq'),
    deleteKey: db.prepare('delete from keys where n = ?'),
    page: db.prepare(`
      select seq, body, searchable from events left join keys on keys.n = events.n and sealed is not null
      where seq > ? order by seq limit ?
    `),
  }
}

const toBlob = (id: MessageId): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new Error('the database holds something else where bytes should be')
}
