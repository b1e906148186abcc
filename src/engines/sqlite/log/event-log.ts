/**
 * The event log of the embedded profile. Appending is a synchronous decision on the message's head in memory, and is
 * answered once the frame with the event is on disk. What is not in memory is read from the thread that files the
 * journal.
 */
import type { EventId, MessageId } from '../../../domain/ids.ts'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Content, Searchable } from '../../../domain/message/message.ts'
import { type Signal, signal } from '../../../lib/signal.ts'
import {
  type AppendResult,
  EMPTY,
  type Entry,
  type EventLog,
  type Loaded,
  type Position,
  type Recorded,
  type Revision,
} from '../../../ports/event-log.ts'
import { decodeEvent } from '../../shared/codec.ts'
import type { Driver } from '../driver.ts'
import type { ContentRow } from '../event-tables.ts'
import { encodeFirst, encodeNext, LARGE } from '../journal/frame.ts'
import type { Journal } from '../journal/journal.ts'
import type { JobQueue } from '../queue/job-queue.ts'
import type { StoreMethods } from '../store.ts'
import { follow, followChanges } from './follow.ts'
import { Head, Heads } from './heads.ts'
import type { IdFilter } from './id-filter.ts'

export type EventLogDeps = Readonly<{
  journal: Pick<Journal, 'add' | 'settled' | 'beginEpoch' | 'destroy'>
  filer: Driver<StoreMethods>
  queue: Pick<JobQueue, 'replace' | 'finish'>
  /** The ids of all messages. */
  ids: IdFilter
  heads?: Heads
  /** The position of the newest event. */
  tip: number
}>

const CONFLICT: Promise<AppendResult> = Promise.resolve({ kind: 'conflict' })
const DUPLICATE: Promise<AppendResult> = Promise.resolve({ kind: 'duplicate' })

export function openEventLog(deps: EventLogDeps): EventLog {
  const { filer, journal } = deps
  const messages = new OpenMessages(deps)
  return {
    append: (entry) => messages.append(entry),

    async latest(id) {
      const head = await messages.durable(id)
      return head && toRecorded(head)
    },

    async load(id, hasRoom) {
      const head = await messages.durable(id)
      if (head === undefined) return undefined
      const loaded = toRecorded(head)
      const { contentSize } = head.event.state
      if (contentSize !== undefined && hasRoom?.(contentSize) === false) return { ...loaded, contentSkipped: true }
      if (head.content !== undefined) return { ...loaded, content: head.content }
      return { ...loaded, ...toContent(await filer.call('content', id)) }
    },

    async read(id) {
      await messages.durable(id)
      return (await filer.call('read', id)).map(([seq, eventId, facts, body]) => ({
        revision: seq as Revision,
        position: seq as Position,
        event: decodeEvent(eventId, facts, body),
      }))
    },

    /** The journal holds the content too until it is filed, so its frames are destroyed as well. */
    async shred(id, keep) {
      const through = await journal.beginEpoch()
      await filer.call('shred', id, keep)
      messages.dropContent(id)
      journal.destroy(through)
      await filer.call('truncateJournal')
    },

    follow: (start, limit, stop) => follow({ filer, messages }, start, limit, stop),
    changes: (start, limit, stop) => followChanges({ filer, messages }, start, limit, stop),
    tip: async () => messages.tip,
  }
}

/** The heads in memory, and the decisions on them. */
export class OpenMessages {
  readonly changed: Signal = signal()
  readonly #deps: EventLogDeps
  readonly #heads: Heads
  readonly #fetching = new Map<MessageId, Promise<Head | undefined>>()
  /** The position of the newest event, durable or not. */
  #last: number
  #tip: number

  constructor(deps: EventLogDeps) {
    this.#deps = deps
    this.#heads = deps.heads ?? new Heads()
    this.#last = deps.tip
    this.#tip = deps.tip
  }

  /** The position of the newest durable event. */
  get tip(): Position {
    return this.#tip as Position
  }

  append(entry: Entry): Promise<AppendResult> {
    const { id } = entry.event.state
    const head = this.#heads.get(id)
    if (head !== undefined) return this.#decide(head, entry)
    if (!this.#deps.ids.mayHave(id)) return this.#decideMissing(entry)
    return this.#fetch(id).then((fetched) => {
      const found = this.#heads.get(id) ?? fetched
      return found === undefined ? this.#decideMissing(entry) : this.#decide(found, entry)
    })
  }

  /** The head of a message once its newest event is durable. */
  async durable(id: MessageId): Promise<Head | undefined> {
    for (;;) {
      const head = this.#heads.get(id) ?? (this.#deps.ids.mayHave(id) ? await this.#fetch(id) : undefined)
      if (head === undefined || head.pending === 0) return head
      await this.#deps.journal.settled()
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
    const head = new Head(event, (this.#last + 1) as Revision)
    if (json !== undefined && json.length <= LARGE) head.hold(content, json.length)
    this.#deps.ids.add(head.id)
    this.#last += 1
    this.#heads.add(head)
    return this.#write(head, entry, [encodeFirst(this.#last, event, content, json)], () => this.#heads.remove(head))
  }

  #decide(head: Head, entry: Entry): Promise<AppendResult> {
    const { seen, event } = entry
    if (head.eventIds.includes(event.id)) return DUPLICATE
    if (seen !== head.revision) return CONFLICT
    const { revision, event: previous, eventIds } = head
    const count = eventIds.length
    const before = entry.before === undefined || eventIds.includes(entry.before.id) ? [] : [entry.before]
    const lines = [...before, event].map((one) => this.#advance(head, one))
    this.#heads.ensure(head)
    return this.#write(head, entry, lines, () => {
      head.revision = revision
      head.event = previous
      eventIds.length = count
    })
  }

  #advance(head: Head, event: MessageEvent): string {
    this.#last += 1
    head.revision = this.#last as Revision
    head.event = event
    head.eventIds.push(event.id)
    return encodeNext(this.#last, event)
  }

  #write(head: Head, { job, ends }: Entry, lines: readonly string[], undo: () => void): Promise<AppendResult> {
    const { queue, journal } = this.#deps
    const { revision } = head
    head.pending += 1
    return new Promise((resolve, reject) => {
      journal.add({
        lines,
        onDurable: () => {
          this.#tip = revision
          this.#heads.settle(head)
          if (ends !== undefined) queue.finish(ends)
          if (job !== undefined) queue.replace(job)
          this.changed.notify()
          resolve({ kind: 'appended', revision })
        },
        onFailed: (error) => {
          head.pending -= 1
          this.#last -= lines.length
          undo()
          reject(error)
        },
      })
    })
  }

  #fetch(id: MessageId): Promise<Head | undefined> {
    const fetching = this.#fetching.get(id)
    if (fetching !== undefined) return fetching
    const fetched = this.#read(id).finally(() => this.#fetching.delete(id))
    this.#fetching.set(id, fetched)
    return fetched
  }

  async #read(id: MessageId): Promise<Head | undefined> {
    const row = await this.#deps.filer.call('load', id)
    const newer = this.#heads.get(id)
    if (row === undefined || newer !== undefined) return newer
    const [seq, eventId, facts, body, eventIds, content] = row
    const head = new Head(decodeEvent(eventId, facts, body), seq as Revision, [...eventIds] as EventId[])
    if (content !== null) head.hold(JSON.parse(content) as Content, content.length)
    if (head.event.state.endedAt === undefined) this.#heads.add(head)
    return head
  }
}

const toRecorded = ({ revision, event }: Head): Recorded => ({
  revision,
  position: revision as number as Position,
  event,
})

function toContent([content, searchable]: ContentRow): Pick<Loaded, 'content' | 'searchable'> {
  if (content !== null) {
    const text = typeof content === 'string' ? content : Buffer.from(content).toString()
    return { content: JSON.parse(text) as Content }
  }
  return searchable === null ? {} : { searchable: JSON.parse(searchable) as Searchable }
}
