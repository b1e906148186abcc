/**
 * Files the journal into the tables. Frames are read once they are durable; the events of a message wait in memory
 * until it has ended or for a moment, and are then written together, many messages at a time. Nobody waits for that:
 * reads combine what is filed with what is not.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { MessageId } from '../../../domain/ids.ts'
import { toSearchable } from '../../../domain/message/searchable.ts'
import type { Instant } from '../../../lib/time.ts'
import type { Position } from '../../../ports/event-log.ts'
import type { Sealer } from '../../../ports/sealer.ts'
import type { ChangedMessage } from '../../../ports/webhook-deliveries.ts'
import { hasCallback, type MessageTuple } from '../../shared/codec.ts'
import { decodeFrame } from '../journal/frame.ts'
import type { FramedEvent } from '../journal/framed-event.ts'
import type { JournalReader } from '../journal/journal-file.ts'
import type { JournalProgress } from '../journal/progress.ts'
import { timeOf } from './event-codec.ts'
import { EventReader } from './event-reader.ts'
import type { FiledMessages, NewMessage } from './filed-messages.ts'
import { Filings } from './filings.ts'
import { type ToSearchable, type Unfiled, UnfiledEvents } from './unfiled.ts'

export type FilerDeps = Readonly<{
  db: DatabaseSync
  journal: JournalReader
  progress: JournalProgress
  messages: FiledMessages
  blind: Sealer['blind']
  indexBodies: boolean
  webhooks: Readonly<{
    /** Whether any endpoint exists. */
    hasEndpoints: () => boolean
    /** Queues deliveries. Idempotent. */
    enqueue: (changes: readonly ChangedMessage[]) => void
  }>
  /** Queues delivery receipts. Idempotent. */
  enqueueReceipts: (changes: readonly ChangedMessage[]) => void
}>

/** How long the events of an open message wait for more. The index is behind by this much at most. */
const WAIT_MS = 800
/** So many messages are written in one transaction. */
const SLICE = 256
/** So many frames are read at a time. */
const FRAMES = 64

/** What a transaction files: complete once it is committed. */
type Draft = Readonly<{ messages: readonly Unfiled[]; frame: number; through: number; newest: number; at: number }>

export class Filer {
  readonly #deps: FilerDeps
  readonly #unfiled = new UnfiledEvents()
  readonly #filings: Filings
  readonly #reader: EventReader
  readonly #toSearchable: ToSearchable
  readonly #saveFrame: StatementSync
  /** Frames up to this one may be filed in part: a crash may have come in between. */
  readonly #replayed: number
  #ingested: number
  #ingestedAt = 0
  #filed: Pick<Draft, 'frame' | 'through' | 'newest' | 'at'>
  #tip: number
  #draft: Draft | undefined
  /** Messages whose webhook deliveries are not queued yet. */
  readonly #unqueued = new Set<Unfiled>()
  /** Messages whose delivery receipts are not queued yet. */
  readonly #unreported = new Set<Unfiled>()

  constructor(deps: FilerDeps) {
    const { db, journal, messages, blind, indexBodies } = deps
    this.#deps = deps
    this.#filings = new Filings(db)
    this.#toSearchable = (content, tenantId) => toSearchable(content, (to) => blind(tenantId, to), indexBodies)
    this.#reader = new EventReader({
      messages,
      filings: this.#filings,
      unfiled: this.#unfiled,
      toSearchable: this.#toSearchable,
    })
    this.#saveFrame = db.prepare(`
      insert into progress (name, position) values ('journal', ?) on conflict (name) do update set position = excluded.position
    `)
    const frame = Number(db.prepare(`select position from progress where name = 'journal'`).get()?.['position'] ?? 0)
    const { newest = 0, through = 0, at = 0 } = this.#filings.last() ?? {}
    this.#filed = { frame, newest, through, at }
    this.#tip = newest
    this.#ingested = frame
    this.#replayed = Math.max(journal.last(), frame)
  }

  get filings(): Filings {
    return this.#filings
  }

  /** The log up to the newest durable frame, filed or not. */
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
    return this.#filed.frame
  }

  /** The position of the newest event. */
  get tip(): number {
    return this.#tip
  }

  /** The time of the newest event in the tables. */
  get newestAt(): number {
    return this.#filed.at
  }

  /** The time of the first event that is not in the tables. */
  get unfiledSince(): number | undefined {
    return this.#unfiled.oldest()?.firstAt
  }

  isUnfiled(id: MessageId): boolean {
    return this.#unfiled.get(id) !== undefined
  }

  /** Reads the frames that are durable. Not before a filing is committed: what came after it would count as filed. */
  ingest(): void {
    if (this.#draft !== undefined) return
    const { journal, progress } = this.#deps
    const through = progress.durable
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
    const isWaiting = this.#ingested > this.#filed.frame && since + WAIT_MS <= performance.now()
    return isWaiting || this.#unfiled.finals >= SLICE || this.#hasUnqueued
  }

  get #hasUnqueued(): boolean {
    return this.#unqueued.size + this.#unreported.size > 0
  }

  /** Files some messages, or queues webhook deliveries at once. In a transaction; `committed` completes it. */
  file(): void {
    if (this.#hasUnqueued) this.#queueDeliveries()
    else this.#file(this.#unfiled.choose(SLICE, performance.now() - WAIT_MS))
  }

  /** The position up to which everything is in the tables. */
  get through(): number {
    return this.#filed.through
  }

  /** Files some more unless everything up to this position is in the tables. In a transaction. */
  fileSome(position: number): void {
    if (this.#draft !== undefined) return
    this.ingest()
    if (this.#filed.through < position) this.#file(this.#unfiled.chooseOldest(SLICE))
  }

  /** Files everything that is durable. In a transaction, in which it has an effect once. */
  fileAll(): void {
    if (this.#draft !== undefined) return
    this.ingest()
    this.#file(this.#unfiled.chooseOldest())
  }

  committed(): void {
    if (this.#draft === undefined) return
    this.#unfiled.remove(this.#draft.messages)
    this.#filed = this.#draft
    this.#draft = undefined
  }

  /** The transaction was rolled back. */
  recall(): void {
    this.#draft = undefined
    this.#unfiled.release()
    for (const unfiled of this.#unfiled.all()) this.#notice(unfiled)
  }

  /** Everything must be filed, so that the content is in the tables. In a transaction. */
  shred(id: MessageId, keep?: 'searchable'): void {
    this.fileAll()
    const { messages } = this.#deps
    const row = messages.find(id)
    if (row === undefined) return
    messages.destroyContent(row)
    if (keep === undefined) messages.forget(row)
    messages.flush()
  }

  /** The position right before the first event of that time or later. In a transaction. */
  positionBefore(since: number): number {
    this.fileAll()
    for (let after = this.#filings.throughBefore(since); ; ) {
      const { messages, events } = this.#reader.page(after, SLICE)
      const found = events.find(([seq, message]) => timeOf(messages[message]?.[1] ?? '[]', seq) >= since)
      if (found !== undefined) return found[0] - 1
      const last = events.at(-1)?.[0]
      if (last === undefined) return this.#tip
      after = last
    }
  }

  #add(event: FramedEvent, frame: number, now: number): void {
    const unfiled = this.#unfiled.add(event, frame, now)
    this.#tip = event.seq
    this.#notice(unfiled)
  }

  /** Most messages have no webhook: they cost nothing here. */
  #notice(unfiled: Unfiled): void {
    unfiled.hasCallback ??= hasCallback(this.#reader.factsOf(unfiled.id))
    if (unfiled.hasCallback || this.#deps.webhooks.hasEndpoints()) this.#unqueued.add(unfiled)
    if (unfiled.owesReceipt) this.#unreported.add(unfiled)
  }

  /** Before their messages are filed: receivers should not wait for that. */
  #queueDeliveries(): void {
    if (!this.#hasUnqueued) return
    this.#deps.webhooks.enqueue(this.#changesOf(this.#unqueued))
    this.#deps.enqueueReceipts(this.#changesOf(this.#unreported))
    this.#unqueued.clear()
    this.#unreported.clear()
  }

  #changesOf(unfiled: Iterable<Unfiled>): readonly ChangedMessage[] {
    return Array.from(unfiled, ({ id, last, at }) => toChanged(this.#reader.factsOf(id), last, at))
  }

  #file(messages: readonly Unfiled[]): void {
    this.#queueDeliveries()
    const rest = this.#unfiled.oldest()
    const frame = rest === undefined ? this.#ingested : rest.frame - 1
    const through = rest === undefined ? this.#tip : rest.first - 1
    const { newest, at } = this.#write(messages, through)
    this.#saveFrame.run(frame)
    this.#draft = { messages, frame, through, newest, at }
  }

  #write(all: readonly Unfiled[], through: number): Pick<Draft, 'newest' | 'at'> {
    const { messages } = this.#deps
    const added: number[] = []
    const others: number[] = []
    let { newest, at } = this.#filed
    for (const unfiled of all) {
      const isNew = unfiled.facts !== undefined && unfiled.frame > this.#replayed
      const known = isNew ? undefined : messages.find(unfiled.id)
      if (known === undefined) added.push(messages.add(this.#toNew(unfiled)))
      else if (messages.extend(known, unfiled.events)) others.push(known.n)
      else continue
      newest = Math.max(newest, unfiled.last)
      at = Math.max(at, unfiled.at)
    }
    messages.flush()
    if (added.length + others.length > 0) {
      const range = { first: added[0] ?? 0, last: added.at(-1) ?? -1 }
      this.#filings.add({ newest, at, through, added: range, others })
    }
    return { newest, at }
  }

  #toNew(unfiled: Unfiled): NewMessage {
    const { id, facts, events, content } = unfiled
    const decoded = unfiled.decode(this.#toSearchable)
    if (facts === undefined || decoded === undefined) {
      throw new Error('the journal has events of a message that the tables do not have')
    }
    return { id, facts, events, content, state: decoded.state, searchable: decoded.searchable }
  }
}

function toChanged(facts: string, position: number, at: number): ChangedMessage {
  const [messageId, tenantId, accountId, , , , , , , , , callback] = JSON.parse(facts) as MessageTuple
  return {
    messageId,
    tenantId,
    accountId,
    position: position as Position,
    hasCallback: callback === true,
    at: at as Instant,
  }
}
