/**
 * The events on the broker: one subject per message. Every write names the sequence of the newest event it has seen,
 * so the broker itself refuses a writer that is too late.
 */

import type { EventId, MessageId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { Encoded, Recorded } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { messageIdOf } from '../shared/codec.ts'
import { retryUntilFound } from './deadlines.ts'
import { ifLast, type JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'
import {
  decodeEncoded,
  decodeStored,
  encodeStored,
  type History,
  historyThrough,
  includesEvent,
  type Sealed,
  type StoredEvent,
  toEncoded,
  toRecorded,
} from './wire.ts'

/** The newest sequence of a message's stream, all its events up to there, and the newest itself if written here. */
type Head = Readonly<{ seq: number; through: History; event?: MessageEvent }>

export type Written = Readonly<{ kind: 'written'; seq: number } | { kind: 'conflict' } | { kind: 'duplicate' }>

/** More than a process has in flight, and those that wait for their receipts. A miss costs one read. */
const CACHED_HEADS = 16_384
/** How long to wait until a competing write is visible. */
const VISIBLE_WITHIN_MS = 5_000
const EMPTY_HEAD: Head = { seq: 0, through: [] }

export class EventStream {
  readonly #js: Pick<JetStream, 'publish' | 'get'>
  readonly #names: Names
  readonly #heads = new LruCache<MessageId, Head>(CACHED_HEADS)

  constructor(js: Pick<JetStream, 'publish' | 'get'>, names: Names) {
    this.#js = js
    this.#names = names
  }

  async newest(id: MessageId): Promise<StoredEvent | undefined> {
    const stored = await this.#js.get(this.#names.logOf(id), { last_by_subj: this.#names.event(id) })
    if (stored === undefined) return undefined
    const event = decodeStored(stored)
    this.#remember(id, { seq: event.seq, through: historyThrough(event) })
    return event
  }

  /** The newest event that this process has written, if it is the newest one known here. */
  recall(id: MessageId): Readonly<{ seq: number; event: MessageEvent }> | undefined {
    const head = this.#heads.get(id)
    return head?.event && { seq: head.seq, event: head.event }
  }

  /** An event of this message. Undefined when the broker has dropped it by age. */
  async at(id: MessageId, seq: number): Promise<StoredEvent | undefined> {
    const stored = await this.#js.get(this.#names.logOf(id), { seq })
    return stored && decodeStored(stored)
  }

  /** The same without the history that is stored with it, which may be long. */
  async recordedAt(id: MessageId, seq: number): Promise<Recorded | undefined> {
    const stored = await this.#js.get(this.#names.logOf(id), { seq })
    return stored && toRecorded({ seq, ...decodeEncoded(stored.data) })
  }

  async first(newest: StoredEvent): Promise<StoredEvent | undefined> {
    const [oldest] = newest.history
    return oldest === undefined ? newest : this.at(messageIdOf(newest.facts), oldest[0])
  }

  /** The first event of a message was read elsewhere. */
  adopt(id: MessageId, first: Pick<StoredEvent, 'seq' | 'id'>): void {
    this.#remember(id, { seq: first.seq, through: historyThrough({ history: [], ...first }) })
  }

  /** Writes the first event of a message. */
  async begin(event: MessageEvent, sealed?: Sealed, encoded: Encoded = toEncoded(event)): Promise<Written> {
    const written = await this.#write(event, encoded, EMPTY_HEAD, sealed)
    return written ?? this.#refused(event, EMPTY_HEAD)
  }

  async add(event: MessageEvent, seen: number): Promise<Written> {
    const { id } = event.state
    const head = await this.#headAt(id, seen)
    if (head.seq !== seen || includesEvent(head.through, event.id)) return refusal(event.id, head)
    const written = await this.#write(event, toEncoded(event), head)
    return written ?? this.#refused(event, head)
  }

  async #write(
    event: MessageEvent,
    encoded: Encoded,
    { seq: seen, through }: Head,
    sealed?: Sealed,
  ): Promise<Written | undefined> {
    const { id } = event.state
    const bytes = encodeStored(encoded, through, sealed)
    const seq = await this.#js.publish(this.#names.event(id), bytes, ifLast(seen))
    if (seq === undefined) return undefined
    const head = { seq, through: historyThrough({ history: through, seq, id: event.id }) }
    // Receipts follow the events of workers, not the first one.
    this.#remember(id, seen === 0 ? head : { ...head, event })
    return { kind: 'written', seq }
  }

  /** A competing write may not have reached the replicas yet: wait until we can read which event won. */
  async #refused({ id: eventId, state: { id } }: MessageEvent, seen: Head): Promise<Written> {
    this.#heads.delete(id)
    const moved = await retryUntilFound(async () => {
      const head = await this.#head(id)
      return head.seq === seen.seq ? undefined : head
    }, VISIBLE_WITHIN_MS)
    if (moved === undefined) throw new Unavailable('another write to this message has not finished')
    return refusal(eventId, moved)
  }

  async #headAt(id: MessageId, seen: number): Promise<Head> {
    const cached = this.#heads.get(id)
    return cached?.seq === seen ? cached : this.#head(id)
  }

  async #head(id: MessageId): Promise<Head> {
    await this.newest(id)
    return this.#heads.get(id) ?? EMPTY_HEAD
  }

  #remember(id: MessageId, head: Head): void {
    const cached = this.#heads.get(id)
    if (cached === undefined || cached.seq <= head.seq) this.#heads.set(id, head)
  }
}

const refusal = (id: EventId, { through }: Head): Written => ({
  kind: includesEvent(through, id) ? 'duplicate' : 'conflict',
})
