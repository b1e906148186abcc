/**
 * The index: answers searches, lists and statistics. It is derived from the log, may lag behind, and can be rebuilt.
 */
import type { EmailStatus } from '../domain/email/pipeline.ts'
import type { BatchId, MessageId, TenantId } from '../domain/ids.ts'
import type { Channel, Lane, Searchable } from '../domain/message/message.ts'
import type { SearchableSummary } from '../domain/message/searchable.ts'
import type { MessageState } from '../domain/message/state.ts'
import type { HandoffState, ProviderState, Status } from '../domain/message/states.ts'
import type { Handoff } from '../domain/message/usage.ts'
import type { Instant, Millis } from '../lib/time.ts'
import type { Position } from './event-log.ts'

/**
 * The input of the index for one message. `searchable` and `contentBytes` come with its first event only; `handoffs` are
 * those among the events since the last projection.
 */
export type Projection = Readonly<{
  state: MessageState
  position: Position
  searchable?: Searchable
  contentBytes?: number
  handoffs?: readonly Handoff[]
}>

/** A row of the index; `searchable` is missing after erasure. */
export type Row = Readonly<{ state: MessageState; searchable?: SearchableSummary }>

export type Filter = Readonly<{
  id?: MessageId
  /** One of these. */
  ids?: readonly MessageId[]
  /** What the id begins with: 8 to 32 hexadecimal digits in lower case, without dashes. */
  idPrefix?: string
  channel?: Channel
  status?: Status
  handoffState?: HandoffState
  providerState?: ProviderState
  provider?: string
  /** The provider's own id. */
  providerMessageId?: string
  /** The pipeline status of an email; matches no other messages. */
  emailStatus?: EmailStatus
  /** The keyed hash of a recipient. */
  toKey?: string
  /** A tag, or several that a message must all have. */
  tag?: string | readonly string[]
  /** A metadata field, as `key:value`, or several that a message must all have. */
  metadata?: string | readonly string[]
  batchId?: BatchId
  /** The name of a template. */
  template?: string
  /** The code of the latest error. */
  errorCode?: string
  lane?: Lane
  createdFrom?: Instant
  createdTo?: Instant
  /** Full text: every word must match, the last one as a prefix. */
  text?: string
  dead?: boolean
  unknown?: boolean
}>

/** A page ends before `limit` once its rows take about `bytes`. */
export type Query = Readonly<{
  tenantId: TenantId
  filter: Filter
  limit: number
  bytes?: number
  cursor?: string
  /** Somebody waits: what others have just sent in great numbers may be missing. */
  soon?: true
}>

/** Newest first. `nextCursor` is missing on the last page. `isCurrent`: the log has no newer state of these messages. */
export type Page = Readonly<{ rows: readonly Row[]; nextCursor?: string; isCurrent?: true }>

/** Counts what a search would find. */
export type TotalQuery = Pick<Query, 'tenantId' | 'filter'>

/** Exactly so many messages (`eq`), or at least so many (`gte`): it stops counting where it would take long. */
export type Total = Readonly<{ value: number; relation: 'eq' | 'gte' }>

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

/** Selects messages by creation time, and optionally dead letters only. */
export type ErrorQuery = Readonly<{ tenantId: TenantId; from?: Instant; to?: Instant; dead?: boolean; limit: number }>

/** Messages with the same latest error; `newestAt` is the newest creation time. */
export type ErrorCount = Readonly<{
  channel: Channel
  provider?: string
  code: string
  count: number
  newestAt: Instant
}>

/** Overdue messages: `silent` wait for a receipt, `stalled` for a worker. */
export type Overdue = 'silent' | 'stalled'

/** Messages that have been waiting since a time after `after`, up to and including `through`. */
export type OverdueQuery = Readonly<{
  kind: Overdue
  after?: Instant
  through: Instant
  limit: number
  cursor?: string
}>

/** Longest waiting first. `nextCursor` is missing on the last page. */
export type OverduePage = Readonly<{ states: readonly MessageState[]; nextCursor?: string }>

export interface MessageIndex {
  /** The position up to which the log has been applied. */
  position(): Promise<Position>

  search(query: Query): Promise<Page>

  /** Takes no longer than a search. */
  total(query: TotalQuery): Promise<Total>

  stats(query: StatsQuery): Promise<readonly StatsBucket[]>

  /** Grouped by channel, provider and code: most frequent first, then newest. */
  errors(query: ErrorQuery): Promise<readonly ErrorCount[]>

  /**
   * Overdue messages of all tenants. Paging returns each message that waits throughout exactly once, whatever happens
   * to others.
   */
  overdue(query: OverdueQuery): Promise<OverduePage>

  /** Deletes the searchable fields of a message and keeps its states. */
  tombstone(id: MessageId): Promise<void>
}

/** How a projector writes the index. An engine that keeps log and index in the same tables has none. */
export interface IndexWriter {
  /** Applies newer states and stores how far the log has been read. Idempotent. */
  apply(projections: readonly Projection[], through: Position): Promise<void>

  /** Deletes everything, to be rebuilt from the start of the log. */
  clear(): Promise<void>
}

export type ProjectedIndex = MessageIndex & IndexWriter
