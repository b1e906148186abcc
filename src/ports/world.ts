/** The plain functions that flows need: time, randomness, ids. Injected everywhere, so that tests control them. */

import type { AuditId } from '../domain/access/audit.ts'
import type { UserId } from '../domain/access/user.ts'
import type { AlertKind } from '../domain/alerts/alert.ts'
import type { RecipientId } from '../domain/directory/recipient.ts'
import type {
  AccountId,
  AlertId,
  AttemptId,
  AttemptRef,
  BatchId,
  EndpointId,
  ErasureId,
  EventId,
  MessageId,
  RouteId,
  TenantId,
  TraceId,
  WebhookAttemptId,
} from '../domain/ids.ts'
import type { Instant, Millis } from '../lib/time.ts'

/** How far our clock is ahead of the wall clock, which callers and providers mean by their deadlines. */
export type Ahead = () => Millis

/** A random number from 0 (inclusive) to 1 (exclusive). */
export type Dice = () => number

/** One-time codes have their own idempotency keys: a key of theirs never names another kind of message. */
export type KeyNamespace = 'messages' | 'otp'

/** A key names its next generation of message once the earlier one is too old to be replayed. */
export type KeyedId = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  namespace: KeyNamespace
  key: string
  generation: number
}>

/** What turned, and when. */
export type AlertTurn = Readonly<{ kind: AlertKind; subject: string; at: Instant }>

export type Ids = Readonly<{
  /** A new UUIDv7. */
  messageId: (at: Instant) => MessageId
  recipientId: (at: Instant) => RecipientId
  routeId: (at: Instant) => RouteId
  endpointId: (at: Instant) => EndpointId
  erasureId: (at: Instant) => ErasureId
  auditId: (at: Instant) => AuditId
  userId: (at: Instant) => UserId
  webhookAttemptId: (at: Instant) => WebhookAttemptId
  /** The UUIDv8 of an idempotency key. */
  keyedMessageId: (from: KeyedId) => MessageId
  /** The UUIDv8 of the idempotency keys of a batch, so that a repeated call names the batch of the first. */
  keyedBatchId: (from: Readonly<{ tenantId: TenantId; accountId: AccountId; keys: readonly unknown[] }>) => BatchId
  keyedErasureId: (from: Omit<KeyedId, 'namespace' | 'generation'>) => ErasureId
  /** The UUIDv8 of one turn: the same in every process that notices it. */
  alertId: (from: AlertTurn) => AlertId
  attemptId: (ref: AttemptRef) => AttemptId
  /**
   * `distinction` tells facts of one kind and attempt apart, such as a provider's reports; empty for most. `after` is the
   * id of the event before it. The new id has the same form, so a fact recorded twice has one id in every release.
   */
  eventId: (ref: AttemptRef, kind: string, distinction: string, after?: EventId) => EventId
  traceId: () => TraceId
  spanId: () => string
}>
