/**
 * Files the journal into the tables. Frames are read once they are durable; the events of a message wait in memory
 * until it has ended or for a moment, and are then written together, many messages at a time. Nobody waits for that:
 * reads combine what is filed with what is not.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import { toSearchable } from '../../domain/message/searchable.ts'
import type { Position } from '../../ports/event-log.ts'
import type { Projection } from '../../ports/message-index.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { ChangedMessage } from '../../ports/webhook-deliveries.ts'
import { decodeEvent, hasCallback } from '../shared/codec.ts'
import { EventReader } from './event-reader.ts'
import type { EventTables } from './event-tables.ts'
import { decodeFrame, type FramedEvent } from './journal/frame.ts'
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
  webhooks: Readonly<{
    /** Whether any endpoint exists. */
    hasEndpoints: () => boolean
    /** Queues deliveries. Idempotent. */
    enqueue: (changes: readonly ChangedMessage[]) => void
  }>
}>

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
  readonly #reader: EventReader
  readonly #saveFrame: StatementSync
  /** Frames up to this one may be filed in part: a crash may have come in between. */
  readonly #replayed: number
  #ingested: number
  #ingestedAt = 0
  #filedFrame: number
  #lastSeq: number
  #filing: Filing | undefined
  /** Messages whose webhook deliveries are not queued yet. */
  readonly #unqueued = new Set<Unfiled>()

  constructor(deps: FilerDeps) {
    const { db, journal, events } = deps
    this.#deps = deps
    this.#reader = new EventReader(deps, this.#unfiled)
    const saved = db.prepare(`select position from progress where name = 'journal'`).get()
    this.#saveFrame = db.prepare(`
      insert into progress (name, position) values ('journal', ?) on conflict (name) do update set position = excluded.position
    `)
    this.#filedFrame = Number(saved?.['position'] ?? 0)
    this.#ingested = this.#filedFrame
    this.#replayed = Math.max(journal.last(), this.#filedFrame)
    this.#lastSeq = events.last()
  }

  /** The events up to the newest durable frame, filed or not. */
  get events(): EventReader {
    this.ingest()
    return this.#reader
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

  /** Reads the frames that are durable. Not before a filing is committed: what came after it would count as filed. */
  ingest(through = this.#deps.progress.durable): void {
    if (this.#filing !== undefined) return
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
    return isWaiting || this.#unfiled.finals >= SLICE || this.#unqueued.size > 0
  }

  /** Files some messages, or queues webhook deliveries at once. In a transaction; `committed` completes it. */
  file(): void {
    if (this.#unqueued.size > 0) this.#queueDeliveries()
    else this.#file(this.#unfiled.choose(SLICE, performance.now() - WAIT_MS))
  }

  /** Files everything that is durable. In a transaction, in which it has an effect once. */
  fileAll(): void {
    if (this.#filing !== undefined) return
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
    for (const unfiled of this.#unfiled.all()) this.#notice(unfiled)
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
    this.#notice(unfiled)
    const { content, gist = content, facts } = event
    if (gist === undefined || facts === undefined) return
    const { sealer, indexBodies } = this.#deps
    const tenantId = JSON.parse(facts)[1] as TenantId
    const searchable = toSearchable(JSON.parse(gist) as Content, (to) => sealer.blind(tenantId, to), indexBodies)
    unfiled.searchable = JSON.stringify(searchable)
  }

  /** Most messages have no webhook: they cost nothing here. */
  #notice(unfiled: Unfiled): void {
    unfiled.hasCallback ??= hasCallback(this.#reader.factsOf(unfiled))
    if (unfiled.hasCallback || this.#deps.webhooks.hasEndpoints()) this.#unqueued.add(unfiled)
  }

  /** Before their messages are filed: receivers should not wait for that. */
  #queueDeliveries(): void {
    const changes = [...this.#unqueued].flatMap((unfiled) => {
      const newest = unfiled.events.at(-1)
      return newest === undefined ? [] : [toChanged(newest, this.#reader.factsOf(unfiled))]
    })
    this.#deps.webhooks.enqueue(changes)
    this.#unqueued.clear()
  }

  #file(messages: ReadonlySet<Unfiled>): void {
    const { listing } = this.#deps
    this.#queueDeliveries()
    const rest = this.#unfiled.oldestBut(messages)
    const frame = rest === undefined ? this.#ingested : rest.frame - 1
    const through = rest === undefined ? this.#lastSeq : (rest.events[0]?.seq ?? 0) - 1
    const projections = [...messages].flatMap((unfiled) => this.#write(unfiled) ?? [])
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
}

function toChanged({ eventId, body, seq }: FramedEvent, facts: string): ChangedMessage {
  const { state } = decodeEvent(eventId, facts, body)
  return {
    messageId: state.id,
    tenantId: state.tenantId,
    accountId: state.accountId,
    position: seq as Position,
    hasCallback: state.callback === true,
    at: state.updatedAt,
  }
}
