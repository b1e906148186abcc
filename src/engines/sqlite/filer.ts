/**
 * Files the journal into the tables. Frames are read once they are durable; the events of a message wait in memory
 * until it has ended or for a moment, and are then written together, many messages at a time. Nobody waits for that:
 * reads combine what is filed with what is not.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { EventId, MessageId, TenantId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import { toSearchable } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Position } from '../../ports/event-log.ts'
import type { Projection } from '../../ports/message-index.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { ChangedMessage } from '../../ports/webhook-deliveries.ts'
import { decodeEvent } from '../shared/codec.ts'
import type { ContentRow, EventRow, EventTables, FollowedRow } from './event-tables.ts'
import { decodeFrame, type FramedEvent, LARGE } from './journal/frame.ts'
import type { JournalReader } from './journal/journal-file.ts'
import type { JournalProgress } from './journal/progress.ts'
import type { ListingTables } from './listing-tables.ts'
import type { MessageNumbers } from './message-numbers.ts'
import { type Unfiled, UnfiledEvents } from './unfiled.ts'

export type FilerDeps = Readonly<{
  db: DatabaseSync
  journal: JournalReader
  progress: JournalProgress
  numbers: MessageNumbers
  events: EventTables
  listing: ListingTables
  sealer: Sealer
  indexBodies: boolean
  /** Queues webhook deliveries. */
  enqueue: (changes: readonly ChangedMessage[]) => void
}>

/** The newest event, the ids of all events, and the content unless it is large. */
export type LoadedRow = readonly [...EventRow, eventIds: readonly EventId[], content: string | null]
export type ChangesRow = readonly [through: number, rows: readonly FollowedRow[]]

/** How long the events of an open message wait for more. */
const WAIT_MS = 400
/** So many messages are written in one transaction. */
const SLICE = 256
/** So many frames are read at a time. */
const FRAMES = 64

type Filing = Readonly<{ messages: ReadonlySet<Unfiled>; frame: number }>

export class Filer {
  readonly #deps: FilerDeps
  readonly #unfiled = new UnfiledEvents()
  readonly #saveFrame: StatementSync
  /** Frames up to this one may be filed in part: a crash may have come in between. */
  readonly #replayed: number
  #ingested: number
  #ingestedAt = 0
  #filedFrame: number
  #lastSeq: number
  #filing: Filing | undefined

  constructor(deps: FilerDeps) {
    const { db, journal, events } = deps
    this.#deps = deps
    const saved = db.prepare(`select position from progress where name = 'journal'`).get()
    this.#saveFrame = db.prepare(`
      insert into progress (name, position) values ('journal', ?) on conflict (name) do update set position = excluded.position
    `)
    this.#filedFrame = Number(saved?.['position'] ?? 0)
    this.#ingested = this.#filedFrame
    this.#replayed = Math.max(journal.last(), this.#filedFrame)
    this.#lastSeq = events.last()
  }

  /** The newest frame, filed or not. */
  get last(): number {
    return Math.max(this.#replayed, this.#ingested)
  }

  /** The frame up to which everything is in the tables. */
  get filedFrame(): number {
    return this.#filedFrame
  }

  /** The position of the newest event. */
  get tip(): number {
    return this.#lastSeq
  }

  /** Reads the frames that are durable. */
  ingest(through = this.#deps.progress.durable): void {
    const { journal } = this.#deps
    while (this.#ingested < through) {
      const now = performance.now()
      this.#ingestedAt = now
      const frames = journal.read(this.#ingested, through, FRAMES)
      for (const [frame, text] of frames) {
        for (const event of decodeFrame(text)) this.#add(event, frame, now)
        this.#ingested = frame
      }
    }
  }

  isDue(): boolean {
    const since = this.#unfiled.oldest()?.since ?? this.#ingestedAt
    const isWaiting = this.#ingested > this.#filedFrame && since + WAIT_MS <= performance.now()
    return isWaiting || this.#unfiled.finals >= SLICE
  }

  /** Files some messages. In a transaction; `committed` completes it. */
  file(): void {
    this.#file(this.#unfiled.choose(SLICE, performance.now() - WAIT_MS))
  }

  /** Files everything that is durable. In a transaction. */
  fileAll(): void {
    this.ingest()
    this.#file(this.#unfiled.all())
  }

  committed(): void {
    if (this.#filing === undefined) return
    this.#unfiled.remove(this.#filing.messages)
    this.#filedFrame = this.#filing.frame
    this.#filing = undefined
  }

  /** The transaction was rolled back. */
  recall(): void {
    this.#filing = undefined
  }

  load(id: MessageId): LoadedRow | undefined {
    const rows = this.read(id)
    const newest = rows.at(-1)
    if (newest === undefined) return undefined
    const [content] = this.content(id)
    return [...newest, rows.map(([, eventId]) => eventId), typeof content === 'string' ? content : null]
  }

  content(id: MessageId): ContentRow {
    this.ingest()
    const unfiled = this.#unfiled.get(id)?.events[0]?.content
    if (unfiled !== undefined) return [unfiled, null]
    const n = this.#deps.numbers.find(id)
    if (n === undefined) return [null, null]
    const content = this.#deps.events.open(n, id)
    if (content === undefined) return [null, this.#deps.events.searchable(n)]
    return [content.length > LARGE ? content : Buffer.from(content).toString(), null]
  }

  /** All events of a message, oldest first. */
  read(id: MessageId): readonly EventRow[] {
    this.ingest()
    const { numbers, events } = this.#deps
    const unfiled = this.#unfiled.get(id)?.events ?? []
    const n = unfiled[0]?.facts === undefined ? numbers.find(id) : undefined
    const filed = n === undefined ? [] : events.read(n)
    const facts = unfiled[0]?.facts ?? filed[0]?.[2] ?? ''
    return [...filed, ...unfiled.map((event) => toRow(event, facts))]
  }

  page(after: number, limit: number): readonly FollowedRow[] {
    this.ingest()
    const unfiled = this.#unfiled
      .after(after, limit)
      .map(
        ({ event, unfiled }): FollowedRow => [
          ...toRow(event, this.#factsOf(unfiled)),
          event.facts === undefined ? null : (unfiled.searchable ?? null),
        ],
      )
    return merged(this.#deps.events.page(after, limit), unfiled, limit)
  }

  /** The newest event of each message in the page. */
  changes(after: number, limit: number): ChangesRow {
    this.ingest()
    const unfiled = this.#unfiled
      .after(after, limit)
      .map(({ event, unfiled }): FollowedRow => [...toRow(event, this.#factsOf(unfiled)), this.#searchableOf(unfiled)])
    const rows = merged(this.#deps.events.pageWithSearchable(after, limit), unfiled, limit)
    const newest = new Map(rows.map((row) => [row[2], row]))
    return [rows.at(-1)?.[0] ?? after, [...newest.values()].toSorted(([one], [other]) => one - other)]
  }

  /** Everything must be filed, so that the secret is in the tables. In a transaction. */
  shred(id: MessageId, keep?: 'searchable'): void {
    this.fileAll()
    const n = this.#deps.numbers.find(id)
    if (n !== undefined) this.#deps.events.shred(n, keep)
  }

  #add(event: FramedEvent, frame: number, now: number): void {
    const unfiled = this.#unfiled.add(event, frame, now)
    this.#lastSeq = event.seq
    const { content, gist = content, facts } = event
    if (gist === undefined || facts === undefined) return
    const { sealer, indexBodies } = this.#deps
    const tenantId = JSON.parse(facts)[1] as TenantId
    const searchable = toSearchable(JSON.parse(gist) as Content, (to) => sealer.blind(tenantId, to), indexBodies)
    unfiled.searchable = JSON.stringify(searchable)
  }

  #file(messages: ReadonlySet<Unfiled>): void {
    const { listing, enqueue } = this.#deps
    const rest = this.#unfiled.oldestBut(messages)
    const frame = rest === undefined ? this.#ingested : rest.frame - 1
    const through = rest === undefined ? this.#lastSeq : (rest.events[0]?.seq ?? 0) - 1
    const projections = [...messages].flatMap((unfiled) => this.#write(unfiled) ?? [])
    enqueue(projections.map(toChanged))
    listing.apply(projections, through)
    this.#saveFrame.run(frame)
    this.#filing = { messages, frame }
  }

  /** Undefined if everything was filed before a crash. */
  #write({ id, frame, events: all, searchable }: Unfiled): Projection | undefined {
    const { numbers, events } = this.#deps
    const [first] = all
    const isNew = first?.facts !== undefined && frame > this.#replayed
    const known = isNew ? undefined : numbers.find(id)
    const filed = known === undefined ? 0 : events.lastOf(known)
    const missing = all.filter(({ seq }) => seq > filed)
    const newest = missing.at(-1)
    if (newest === undefined) return undefined
    const n = known ?? numbers.add(id, first?.facts ?? null)
    for (const event of missing) {
      const sealed = event.content === undefined ? null : events.seal(n, id, event.content, searchable ?? '')
      events.insert(n, event.seq, event.eventId, event.body, sealed)
    }
    const facts = first?.facts ?? numbers.factsOf(n)
    const { state } = decodeEvent(newest.eventId, facts, newest.body)
    const position = newest.seq as Position
    return searchable === undefined ? { state, position } : { state, position, searchable: JSON.parse(searchable) }
  }

  #factsOf({ id, events: [first] }: Unfiled): string {
    if (first?.facts !== undefined) return first.facts
    const n = this.#deps.numbers.find(id)
    return n === undefined ? '' : this.#deps.numbers.factsOf(n)
  }

  #searchableOf({ id, searchable }: Unfiled): string | null {
    if (searchable !== undefined) return searchable
    const n = this.#deps.numbers.find(id)
    return n === undefined ? null : this.#deps.events.searchable(n)
  }
}

const toRow = ({ seq, eventId, body }: FramedEvent, facts: string): EventRow => [seq, eventId, facts, body]

/** Both are in the order of positions. */
const merged = (filed: readonly FollowedRow[], unfiled: readonly FollowedRow[], limit: number) =>
  (unfiled.length === 0 ? filed : [...filed, ...unfiled].toSorted(([one], [other]) => one - other)).slice(0, limit)

const toChanged = ({ state, position }: Readonly<{ state: MessageState; position: Position }>): ChangedMessage => ({
  messageId: state.id,
  tenantId: state.tenantId,
  accountId: state.accountId,
  position,
  hasCallback: state.callback === true,
  at: state.updatedAt,
})
