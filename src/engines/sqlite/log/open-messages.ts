/**
 * The heads of open messages in memory, and the decisions on them: appending is a synchronous step, and is answered once
 * the frame with the event is on disk. A head that is not in memory is read from the thread that files the journal.
 */
import type { MessageId, TenantId } from '../../../domain/ids.ts'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Content } from '../../../domain/message/message.ts'
import { Multiset } from '../../../lib/multiset.ts'
import { type Signal, signal } from '../../../lib/signal.ts'
import type { Soon } from '../../../lib/soon.ts'
import { type AppendResult, EMPTY, type Entry, type Position, type Revision } from '../../../ports/event-log.ts'
import type { Remote } from '../driver.ts'
import { encodeFirst, encodeNext } from '../journal/frame.ts'
import { LARGE } from '../journal/framed-event.ts'
import type { Journal, Journaled } from '../journal/journal.ts'
import type { SearchMethods } from '../message-index.ts'
import { decodeEvents } from '../messages/event-codec.ts'
import type { LongTimeline } from '../messages/event-reader.ts'
import type { Prunable } from '../messages/pruning.ts'
import type { JobQueue } from '../queue/job-queue.ts'
import type { FiledLog } from '../store.ts'
import { Head, Heads } from './heads.ts'
import type { IdFilter } from './id-filter.ts'
import { LiveEvents } from './live-events.ts'

export type OpenMessagesDeps = Readonly<{
  journal: Pick<Journal, 'add' | 'settled'>
  filer: FiledLog
  /** Reads long timelines. */
  events: Remote<SearchMethods, 'events'>
  queue: Pick<JobQueue, 'replace' | 'finish'>
  /** The ids of all messages. */
  ids: IdFilter
  heads?: Heads
  /** The position of the newest event. */
  tip: number
}>

const CONFLICT: Promise<AppendResult> = Promise.resolve({ kind: 'conflict' })
const DUPLICATE: Promise<AppendResult> = Promise.resolve({ kind: 'duplicate' })

export class OpenMessages {
  readonly changed: Signal = signal()
  readonly live = new LiveEvents()
  readonly #deps: OpenMessagesDeps
  readonly #heads: Heads
  readonly #fetching = new Map<MessageId, Promise<Head | undefined>>()
  readonly #deleting = new Map<MessageId, Promise<unknown>>()
  /** Messages that will have a job once their append is on disk, by tenant. */
  readonly #arriving = new Multiset<TenantId>()
  /** The position of the newest event, durable or not. */
  #last: number
  #tip: number

  constructor(deps: OpenMessagesDeps) {
    this.#deps = deps
    this.#heads = deps.heads ?? new Heads()
    this.#last = deps.tip
    this.#tip = deps.tip
  }

  /** The position of the newest durable event. */
  get tip(): Position {
    return this.#tip as Position
  }

  /** How many messages of a tenant will have a job once their append is on disk. */
  arriving(tenantId: TenantId): number {
    return this.#arriving.count(tenantId)
  }

  append(entry: Entry): Promise<AppendResult> {
    const { id } = entry.event.state
    const head = this.#heads.get(id)
    if (head !== undefined) return this.#decide(head, entry)
    const deleting = this.#deleting.get(id)
    if (deleting !== undefined) return deleting.then(() => this.append(entry))
    if (!this.#deps.ids.mayHave(id)) return this.#decideMissing(entry)
    return this.#fetch(id).then((fetched) => {
      if (this.#deleting.has(id)) return this.append(entry)
      const found = this.#heads.get(id) ?? fetched
      return found === undefined ? this.#decideMissing(entry) : this.#decide(found, entry)
    })
  }

  /** The head of a message once its newest event is durable. */
  durable(id: MessageId): Soon<Head | undefined> {
    const head = this.#heads.get(id)
    return head?.pending === 0 ? head : this.#whenDurable(id)
  }

  async #whenDurable(id: MessageId): Promise<Head | undefined> {
    for (;;) {
      await this.#deleting.get(id)
      const head = this.#heads.get(id) ?? (this.#deps.ids.mayHave(id) ? await this.#fetch(id) : undefined)
      if (head === undefined || head.pending === 0) return head
      await this.#deps.journal.settled()
    }
  }

  /** Resolves once everything that was appended to a message is durable, or could not be written. */
  async settled(id: MessageId): Promise<void> {
    await this.#deleting.get(id)
    while ((this.#heads.get(id)?.pending ?? 0) > 0) await this.#deps.journal.settled()
  }

  /** Deletes messages from the tables, except for those that have changed since. */
  async delete(prunable: readonly Prunable[]): Promise<number> {
    const unchanged = prunable.filter(([id, seq]) => {
      const head = this.#heads.get(id)
      return head === undefined ? !this.#fetching.has(id) : head.pending === 0 && head.revision === seq
    })
    const deleting = this.#deps.filer.prune(unchanged)
    const done = deleting.catch(() => undefined)
    for (const [id] of unchanged) {
      const head = this.#heads.get(id)
      if (head !== undefined) this.#heads.remove(head)
      this.#deleting.set(id, done)
    }
    try {
      return await deleting
    } finally {
      for (const [id] of unchanged) this.#deleting.delete(id)
    }
  }

  dropContent(id: MessageId): void {
    const head = this.#heads.get(id)
    if (head !== undefined) this.#heads.dropContent(head)
  }

  #decideMissing(entry: Entry): Promise<AppendResult> {
    if (entry.seen !== EMPTY) return CONFLICT
    const { event, content } = entry
    const json = content && JSON.stringify(content)
    this.#last += 1
    const head = new Head(event, this.#last as Revision)
    if (json !== undefined && json.length <= LARGE) head.hold(content, json.length)
    this.#deps.ids.add(head.id)
    this.#heads.add(head)
    return this.#write(new Append(this, head, entry, [encodeFirst(this.#last, event, content, json)]))
  }

  #decide(head: Head, entry: Entry): Promise<AppendResult> {
    const { seen, event, before } = entry
    if (head.eventIds.includes(event.id)) return DUPLICATE
    if (seen !== head.revision) return CONFLICT
    const { revision, event: previous, eventIds } = head
    const earlier = { revision, event: previous, events: eventIds.length }
    const lines: string[] = []
    if (before !== undefined && !eventIds.includes(before.id)) lines.push(this.#advance(head, before))
    lines.push(this.#advance(head, event))
    this.#heads.ensure(head)
    return this.#write(new Append(this, head, entry, lines, earlier))
  }

  #advance(head: Head, event: MessageEvent): string {
    const { state: previous } = head.event
    this.#last += 1
    head.revision = this.#last as Revision
    head.event = event
    head.eventIds.push(event.id)
    return encodeNext(this.#last, event, previous)
  }

  #write(append: Append): Promise<AppendResult> {
    append.head.pending += 1
    if (isArriving(append.entry)) this.#arriving.add(append.head.event.state.tenantId)
    this.#deps.journal.add(append)
    return append.result
  }

  /** The append is on disk. */
  settle({ head, revision, entry, lines }: Append): void {
    const { queue } = this.#deps
    const { job, ends } = entry
    this.#tip = revision
    this.#heads.settle(head)
    if (ends !== undefined) queue.finish(ends)
    if (job !== undefined) queue.replace(job)
    if (isArriving(entry)) this.#arriving.remove(head.event.state.tenantId)
    this.live.publish(entry, revision, lines.length)
    this.changed.notify()
  }

  /** The append could not be written. */
  undo({ head, lines, earlier, entry }: Append): void {
    this.#last -= lines.length
    if (isArriving(entry)) this.#arriving.remove(head.event.state.tenantId)
    head.pending -= 1
    if (earlier === undefined) this.#heads.remove(head)
    else {
      head.revision = earlier.revision
      head.event = earlier.event
      head.eventIds.length = earlier.events
    }
  }

  #fetch(id: MessageId): Promise<Head | undefined> {
    const fetching = this.#fetching.get(id)
    if (fetching !== undefined) return fetching
    const fetched = this.#read(id).finally(() => this.#fetching.delete(id))
    this.#fetching.set(id, fetched)
    return fetched
  }

  async #read(id: MessageId): Promise<Head | undefined> {
    const row = await this.#deps.filer.load(id)
    const newer = this.#heads.get(id)
    if (row === undefined || newer !== undefined) return newer
    if ('numbers' in row) return this.#readLong(id, row)
    const [facts, events, content] = row
    const recorded = decodeEvents(facts, events)
    const newest = recorded.at(-1)
    if (newest === undefined) return undefined
    const eventIds = recorded.map(({ event }) => event.id)
    const head = new Head(newest.event, newest.revision, eventIds)
    if (content !== null) head.hold(JSON.parse(content) as Content, content.length)
    if (head.event.state.endedAt === undefined) this.#heads.add(head)
    return head
  }

  /** Another thread reads it, and returns only what a head has of it. */
  async #readLong(id: MessageId, timeline: LongTimeline): Promise<Head | undefined> {
    const found = await this.#deps.events.newest(id, timeline)
    const newer = this.#heads.get(id)
    if (found === undefined || newer !== undefined) return newer
    const head = new Head(found.event, found.revision, [...found.ids])
    if (head.event.state.endedAt === undefined) this.#heads.add(head)
    return head
  }
}

/** It begins work on a message, and does not continue any. */
const isArriving = ({ job, ends }: Entry): boolean => job !== undefined && ends === undefined

/** An append on its way to the disk. `earlier` is what its head was before; undefined for a new message. */
class Append implements Journaled {
  readonly head: Head
  readonly entry: Entry
  readonly lines: readonly string[]
  readonly revision: Revision
  readonly earlier: Earlier | undefined
  readonly result: Promise<AppendResult>
  readonly #messages: OpenMessages
  #resolve!: (result: AppendResult) => void
  #reject!: (error: Error) => void

  constructor(messages: OpenMessages, head: Head, entry: Entry, lines: readonly string[], earlier?: Earlier) {
    this.#messages = messages
    this.head = head
    this.entry = entry
    this.lines = lines
    this.revision = head.revision
    this.earlier = earlier
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** It stores `before` too. */
  get hasBefore(): boolean {
    return this.lines.length > 1
  }

  onDurable(): void {
    this.#messages.settle(this)
    const { revision } = this
    const appended = { kind: 'appended', revision } as const
    this.#resolve(this.hasBefore ? { ...appended, before: (revision - 1) as Revision } : appended)
  }

  onFailed(error: Error): void {
    this.#messages.undo(this)
    this.#reject(error)
  }
}

type Earlier = Readonly<{ revision: Revision; event: MessageEvent; events: number }>
