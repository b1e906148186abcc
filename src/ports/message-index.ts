/**
 * The index: what search, lists and figures are answered from. It is a projection of the log, may
 * lag behind it, and can be thrown away and made again.
 */
import type { EmailStatus } from '../domain/email/pipeline.ts'
import type { MessageId, TenantId } from '../domain/ids.ts'
import type { Channel, Lane, Searchable } from '../domain/message/message.ts'
import type { MessageState } from '../domain/message/state.ts'
import type { HandoffState, ProviderState, Status } from '../domain/message/states.ts'
import type { Instant, Millis } from '../lib/time.ts'
import type { Position } from './event-log.ts'

/** One message as the index is told of it. `searchable` comes with its first event only. */
export type Projection = Readonly<{ state: MessageState; position: Position; searchable?: Searchable }>

/** One message as the index knows it; `searchable` is gone after erasure. */
export type Row = Readonly<{ state: MessageState; searchable?: Searchable }>

export type Filter = Readonly<{
  id?: MessageId
  channel?: Channel
  status?: Status
  handoffState?: HandoffState
  providerState?: ProviderState
  provider?: string
  /** What the provider calls it. */
  providerMessageId?: string
  /** What a mail has come to; of no use for other messages. */
  emailStatus?: EmailStatus
  /** The keyed hash of a recipient. */
  toKey?: string
  tag?: string
  lane?: Lane
  createdFrom?: Instant
  createdTo?: Instant
  /** Full text: every word must occur, the last one may be a beginning. */
  text?: string
  dead?: boolean
  unknown?: boolean
}>

export type Query = Readonly<{ tenantId: TenantId; filter: Filter; limit: number; cursor?: string }>

/** Newest first. `nextCursor` is missing on the last page. */
export type Page = Readonly<{ rows: readonly Row[]; nextCursor?: string }>

export type StatsQuery = Readonly<{ tenantId: TenantId; from: Instant; to: Instant; bucket: Millis }>
export type Latency = Readonly<{ count: number; p50: Millis; p95: Millis; max: Millis }>
export type StatsBucket = Readonly<{
  start: Instant
  channel: Channel
  provider?: string
  statuses: Readonly<Partial<Record<Status, number>>>
  acceptToHandoff?: Latency
  handoffToDelivery?: Latency
}>

/** Which messages with an error are counted: created in this time, given up on or not. */
export type ErrorQuery = Readonly<{ tenantId: TenantId; from?: Instant; to?: Instant; dead?: boolean; limit: number }>

/** Messages whose latest error is the same; `newestAt` is when the newest of them was created. */
export type ErrorCount = Readonly<{
  channel: Channel
  provider?: string
  code: string
  count: number
  newestAt: Instant
}>

/** Messages that may need a nudge: `silent` wait for a receipt, `stalled` for a worker. */
export type Overdue = 'silent' | 'stalled'

/** Those that wait since a moment after `after`, up to and including `through`. */
export type OverdueQuery = Readonly<{
  kind: Overdue
  after?: Instant
  through: Instant
  limit: number
  cursor?: string
}>

/** Longest first. `nextCursor` is missing on the last page. */
export type OverduePage = Readonly<{ states: readonly MessageState[]; nextCursor?: string }>

export interface MessageIndex {
  /** Applies what is newer than the index has, and remembers how far the log has been read. Idempotent. */
  apply(projections: readonly Projection[], through: Position): Promise<void>

  /** How far the log has been read. */
  position(): Promise<Position>

  search(query: Query): Promise<Page>

  stats(query: StatsQuery): Promise<readonly StatsBucket[]>

  /** By channel, provider and code: most first, and of as many the newest. */
  errors(query: ErrorQuery): Promise<readonly ErrorCount[]>

  /**
   * Messages of every tenant that wait for something. Whoever goes through the pages meets each that waits all
   * the time once, whatever happens to others meanwhile.
   */
  overdue(query: OverdueQuery): Promise<OverduePage>

  /** Forgets what it knows of a person's message, beyond its states. */
  tombstone(id: MessageId): Promise<void>

  /** Forgets everything, to be made again from the start of the log. */
  clear(): Promise<void>
}
