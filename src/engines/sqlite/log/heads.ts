/**
 * The newest event of each open message, and the content of those that wait to be sent. A cache: what it drops can be
 * read from the filed tables, except while an append is not durable yet.
 */
import type { EventId, MessageId } from '../../../domain/ids.ts'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Content } from '../../../domain/message/message.ts'
import { isHandoffOver } from '../../../domain/message/states.ts'
import { ChurnMap } from '../../../lib/churn-map.ts'
import type { Revision } from '../../../ports/event-log.ts'

/** Mutable: every event of the message changes it in place. */
export class Head {
  readonly id: MessageId
  revision: Revision
  readonly eventIds: EventId[]
  content: Content | undefined = undefined
  /** The size of the content in characters. */
  size = 0
  /** Appends whose frame is not on disk yet. */
  pending = 0
  /** Counted as waiting for its first attempt. */
  isWaiting = false
  #event: MessageEvent | undefined

  constructor(event: MessageEvent, revision: Revision, eventIds: EventId[] = [event.id]) {
    this.id = event.state.id
    this.revision = revision
    this.#event = event
    this.eventIds = eventIds
  }

  get event(): MessageEvent {
    if (this.#event === undefined) throw new Error('a head is used after its message has ended')
    return this.#event
  }

  set event(event: MessageEvent) {
    this.#event = event
  }

  hold(content: Content | undefined, size: number): void {
    this.content = content
    this.size = size
  }

  /**
   * Drops everything. An object that is old enough keeps what it points to until the next full collection, although
   * nothing uses it: so the last event of every message would become old too.
   */
  end(): void {
    this.#event = undefined
    this.eventIds.length = 0
  }
}

/** What a head costs besides its content. */
const HEAD_SIZE = 2_000
/** About forty thousand messages: reports come within seconds of the handoff, and reading a head costs more than keeping it. */
const CAPACITY = 80 * 1024 * 1024
/** So many messages that wait for their first attempt are kept: the oldest, which are sent next. */
const MOST_WAITING = 8_000

export class Heads {
  readonly #byId = new ChurnMap<MessageId, Head>()
  readonly #capacity: number
  readonly #mostWaiting: number
  #size = 0
  #waiting = 0

  /** `capacity` is in characters of content, roughly bytes. */
  constructor(capacity = CAPACITY, mostWaiting = MOST_WAITING) {
    this.#capacity = capacity
    this.#mostWaiting = mostWaiting
  }

  get(id: MessageId): Head | undefined {
    return this.#byId.get(id)
  }

  add(head: Head): void {
    this.#byId.set(head.id, head)
    this.#size += HEAD_SIZE + head.size
    if (this.#size > this.#capacity) this.#evict()
  }

  /** Adds a head that was too old to be kept when it was read. */
  ensure(head: Head): void {
    if (this.#byId.get(head.id) === undefined) this.add(head)
  }

  remove(head: Head): void {
    if (!this.#byId.delete(head.id)) return
    this.#size -= HEAD_SIZE + head.size
    this.#setWaiting(head, false)
  }

  dropContent(head: Head): void {
    if (head.content === undefined) return
    this.#size -= head.size
    head.content = undefined
    head.size = 0
  }

  /** Drops what is no longer needed once an append is durable. */
  settle(head: Head): void {
    head.pending -= 1
    if (head.pending > 0) return
    const { state } = head.event
    if (state.endedAt !== undefined) {
      this.remove(head)
      head.end()
      return
    }
    if (isHandoffOver(state.handoffState)) this.dropContent(head)
    this.#setWaiting(head, state.phase === 'none' && this.get(head.id) === head)
    if (head.isWaiting && this.#waiting > this.#mostWaiting) this.remove(head)
  }

  #setWaiting(head: Head, isWaiting: boolean): void {
    if (head.isWaiting === isWaiting) return
    head.isWaiting = isWaiting
    this.#waiting += isWaiting ? 1 : -1
  }

  /** The oldest go first. */
  #evict(): void {
    for (const head of this.#byId.values()) {
      if (this.#size <= this.#capacity) return
      if (head.pending === 0) this.remove(head)
    }
  }
}
