/**
 * The log: the truth about every message. Each message is a stream of its own, and a writer names
 * the revision it has seen, so of many writers at one revision exactly one wins.
 *
 * Every event carries the state folded after it, so the newest event of a message is its latest state.
 */

import type { MessageId } from '../domain/ids.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import type { Content, Searchable } from '../domain/message/message.ts'
import type { Brand } from '../lib/brand.ts'
import type { Instant } from '../lib/time.ts'
import type { Job, Taken } from './queue.ts'

/** Where one message's stream stands. Only equality means anything: engines count in their own ways. */
export type Revision = Brand<number, 'Revision'>

/** The revision of a message nobody has written to. */
export const EMPTY = 0 as Revision

/** A place in the whole log; grows with every event, and may have gaps. */
export type Position = Brand<number, 'Position'>
export const START = 0 as Position

/** Where a follower starts: after a position, or with the first event written at an instant or later. */
export type Start = Position | Readonly<{ since: Instant }>

export type Recorded = Readonly<{ revision: Revision; position: Position; event: MessageEvent }>

export type Entry = Readonly<{
  seen: Revision
  /**
   * Goes right before the event, unless it is in the stream already. Where the engine cannot write both at once it
   * may come to stand there alone.
   */
  before?: MessageEvent
  event: MessageEvent
  /** Sealed with a new key of its own before it touches a disk. With the first event only. */
  content?: Content
  /** Put into the queue with the event. Only a hint: it may arrive before the event, twice, or be lost. */
  job?: Job
  /** The job this event finishes: gone with the event, or right after it where the engine cannot do both at once. */
  ends?: Taken
}>

/**
 * A conflict is an answer, not a failure: the caller reads again and decides anew. `duplicate` means
 * an event of this id is in the message's stream already.
 */
export type AppendResult = Readonly<
  { kind: 'appended'; revision: Revision } | { kind: 'conflict' } | { kind: 'duplicate' }
>

/**
 * `isLeft` where the content is there and was not wanted for now; `searchable` where the content was shredded and
 * only this was kept.
 */
export type Loaded = Recorded & Readonly<{ content?: Content; contentSkipped?: true; searchable?: Searchable }>

/** Whether there is room for the content of a message, asked before it is brought, and only where it weighs something. */
export type HasRoom = (weight: number) => boolean

/**
 * `searchable` comes with the first event of a message that a follower gets, as long as it is not shredded, or with
 * later ones where it could not be had by then. Those who start at an instant want states and do not get it: looking it up would cost more than reading the events.
 */
export type Followed = Recorded & Readonly<{ messageId: MessageId; searchable?: Searchable }>

export type Changes = Readonly<{ through: Position; events: readonly Followed[] }>

export interface EventLog {
  /** Answers once the event is safe from a crash of every process; otherwise changes nothing. */
  append(entry: Entry): Promise<AppendResult>

  /** The newest event of a message. */
  latest(id: MessageId): Promise<Recorded | undefined>

  /** The newest event with the message's content, which is missing once it is shredded. */
  load(id: MessageId, hasRoom?: HasRoom): Promise<Loaded | undefined>

  /** All events of a message, oldest first. */
  read(id: MessageId): Promise<readonly Recorded[]>

  /**
   * Destroys the key of a message, so that no store yields its content again. What search may know goes too, unless
   * it is to be kept; what is gone already stays gone.
   */
  shred(id: MessageId, keep?: 'searchable'): Promise<void>

  /**
   * The events from there on, oldest first, in pages of at most `limit`; waits for more when
   * there are none, until `signal` ends it.
   */
  follow(start: Start, limit: number, signal: AbortSignal): AsyncIterable<readonly Followed[]>

  /**
   * Like `follow`, for those who only want states: an event that a newer one of its message has
   * overtaken may be left out. A page says how far it reaches, and may tell of nothing.
   */
  changes(start: Start, limit: number, signal: AbortSignal): AsyncIterable<Changes>

  /** The position of the newest event of all. */
  tip(): Promise<Position>
}
