/** The plain functions we ask of the world: time, chance, names. Injected everywhere, so tests own them. */

import type { RecipientId } from '../domain/directory/recipient.ts'
import type {
  AccountId,
  AttemptId,
  AttemptRef,
  EndpointId,
  ErasureId,
  EventId,
  MessageId,
  RouteId,
  TenantId,
  TraceId,
} from '../domain/ids.ts'
import type { Instant, Millis } from '../lib/time.ts'

/** How far our clock is ahead of the wall clock, by which callers and providers mean their deadlines. */
export type Ahead = () => Millis

/** A random number from 0 (inclusive) to 1 (exclusive). */
export type Dice = () => number

export type KeyedId = Readonly<{ tenantId: TenantId; accountId: AccountId; key: string; generation: number }>

export type Ids = Readonly<{
  /** A new UUIDv7. */
  messageId: (at: Instant) => MessageId
  recipientId: (at: Instant) => RecipientId
  routeId: (at: Instant) => RouteId
  endpointId: (at: Instant) => EndpointId
  erasureId: (at: Instant) => ErasureId
  /** The UUIDv8 that an idempotency key decides. */
  keyedMessageId: (from: KeyedId) => MessageId
  keyedErasureId: (from: Omit<KeyedId, 'generation'>) => ErasureId
  attemptId: (ref: AttemptRef) => AttemptId
  /** `reportId` tells the provider's reports apart; empty for our own facts. */
  eventId: (ref: AttemptRef, kind: string, reportId: string) => EventId
  traceId: () => TraceId
  spanId: () => string
}>
