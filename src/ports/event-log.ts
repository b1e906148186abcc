/**
 * The event log: the source of truth about every message. Each message is a stream, and a writer names the revision it
 * has read, so exactly one of several writers at one revision wins.
 *
 * Every event carries the state after it, so the newest event of a message is its latest state.
 */

import type { EventId, MessageId } from '../domain/ids.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import type { Content, Searchable } from '../domain/message/message.ts'
import type { MessageState } from '../domain/message/state.ts'
import type { Brand } from '../lib/brand.ts'
import type { Soon } from '../lib/soon.ts'
import type { Instant } from '../lib/time.ts'
import type { Job, Taken } from './queue.ts'

/** The revision of one message's stream. Only equality is meaningful: engines number revisions differently. */
export type Revision = Brand<number, 'Revision'>

/** The revision of an empty stream. */
export const EMPTY = 0 as Revision

/** A position in the whole log; it grows with every event and may have gaps. */
export type Position = Brand<number, 'Position'>
export const START = 0 as Position

/**
 * Where to start following: after a position, or with the first event at or after an instant. As an object: without the
 * searchable fields.
 */
export type Start = Position | Readonly<{ after: Position }> | Readonly<{ since: Instant }>

/** An event and the revision of its message's stream. */
export type Revised = Readonly<{ revision: Revision; event: MessageEvent }>

/** An event with its position in the whole log. */
export type Recorded = Revised & Readonly<{ position: Position }>

export type Entry = Readonly<{
  seen: Revision
  /**
   * Appended right before the event, unless already in the stream. An engine that cannot write both atomically may
   * write only this one.
   */
  before?: MessageEvent
  event: MessageEvent
  /** The state at `seen`, for those who observe the log. Not written. */
  previous?: MessageState
  /** Sealed with a new key before it is written. With the first event only. */
  content?: Content
  /** Queued with the event. Only a hint: it may arrive before the event, twice, or never. */
  job?: Job
  /**
   * The job that this event finishes: removed with the event, or right after it if the engine cannot do both
   * atomically.
   */
  ends?: Taken
}>

/**
 * A conflict is a result, not an error: the caller reads again and decides again. `duplicate`: an event with this id is
 * already in the stream. `before` is the revision of the event before it, if that was appended too.
 */
export type AppendResult = Readonly<
  { kind: 'appended'; revision: Revision; before?: Revision } | { kind: 'conflict' } | { kind: 'duplicate' }
>

/**
 * `contentSkipped`: the content exists but `hasRoom` refused it. `searchable`: the content was shredded and only this
 * was kept.
 */
export type Loaded = Revised & Readonly<{ content?: Content; contentSkipped?: true; searchable?: Searchable }>

/** Whether content of this size, in kilobytes, may be loaded now; asked only for content large enough to count. */
export type HasRoom = (kilobytes: number) => boolean

/**
 * `searchable` comes with the first event that a follower gets of a message, or with a later one if it was not
 * available, unless shredded. Not every follower gets it: some want only states, and looking it up would cost more than
 * reading the events.
 */
export type Followed = Recorded &
  Readonly<{
    messageId: MessageId
    searchable?: Searchable
    /** The size of the sealed content that came with this event, if the log tells. */
    contentBytes?: number
    encoded?: Encoded
    /** How many events came after it when it was read, if the log tells. */
    pending?: number
  }>

/** An event as the stores encode it, from a log that has it so: whoever only passes it on need not decode it. */
export type Encoded = Readonly<{ id: EventId; facts: string; body: string }>

export type Changes = Readonly<{ through: Position; events: readonly Followed[] }>

/** Up to `limit` events of a message: the newest, or those before the event with this number. The first is number 0. */
export type EventsQuery = Readonly<{ limit: number; before?: number }>

/** Oldest first. `first` is the number of the first event here, `total` how many the message has. */
export type EventsPage = Readonly<{
  events: readonly MessageEvent[]
  first: number
  total: number
  /** The state after all events. */
  state: MessageState
}>

export interface EventLog {
  /** Resolves once the event is durable; otherwise nothing changes. */
  append(entry: Entry): Promise<AppendResult>

  /** The newest event of a message: at once if the engine has it in memory. */
  latest(id: MessageId): Soon<Revised | undefined>

  /**
   * The newest event that this process knows of without reading; there may be newer ones. Only for a decision that is
   * appended at its revision.
   */
  recall?(id: MessageId): Revised | undefined

  /**
   * The newest event with the message's content, unless shredded; at once if the engine has both in memory. For the job
   * `taken` it may be an earlier event, which came with the job: a decision appended at its revision then conflicts.
   */
  load(id: MessageId, hasRoom?: HasRoom, taken?: Taken): Soon<Loaded | undefined>

  /** All events of a message, oldest first. There may be thousands: those who show them read `page`. */
  read(id: MessageId): Promise<readonly Recorded[]>

  /** Some events of a message; undefined if it has none. */
  page(id: MessageId, query: EventsQuery): Promise<EventsPage | undefined>

  /**
   * Destroys the key of a message, so that its content cannot be read from any store. Also deletes the searchable
   * fields, unless kept. Idempotent.
   */
  shred(id: MessageId, keep?: 'searchable'): Promise<void>

  /**
   * The events from `start`, oldest first, in pages of at most `limit`; waits for more until `signal` aborts. A page may be
   * empty: the events up to the end of the log were deleted.
   */
  follow(start: Start, limit: number, signal: AbortSignal): AsyncIterable<readonly Followed[]>

  /**
   * Like `follow`, but may leave out an event that a newer one of the same message has superseded. A page says how far
   * it reaches, and may be empty.
   */
  changes(start: Start, limit: number, signal: AbortSignal): AsyncIterable<Changes>

  /** The position of the newest event. */
  tip(): Promise<Position>
}
