/**
 * Webhook deliveries. There is one per message and endpoint, with the position up to which the message's events were
 * delivered, so that every change is delivered in order. They are derived from the log by the projector, which enqueues
 * lost ones again. And there is one per alert and endpoint, which carries the alert: the log does not have it.
 */

import type { Alert } from '../domain/alerts/alert.ts'
import type { AccountId, AlertId, EndpointId, MessageId, TenantId } from '../domain/ids.ts'
import type { Endpoint } from '../domain/webhooks/endpoint.ts'
import { type Instant, type Millis, seconds } from '../lib/time.ts'
import type { Position } from './event-log.ts'

/** Deliveries without a change for this long are no longer attempted, and deleted. */
export const DELIVERIES_KEPT_FOR: Millis = seconds(7 * 24 * 60 * 60)

/** A message with a new event at this position. `hasCallback`: it has its own `callback_url`. */
export type ChangedMessage = Readonly<{
  messageId: MessageId
  tenantId: TenantId
  accountId: AccountId
  position: Position
  hasCallback: boolean
  at: Instant
}>

/** What a delivery is of: a message or an alert. */
export type SubjectId = MessageId | AlertId

export type WebhookDeliveryKey = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  subjectId: SubjectId
  endpointId: EndpointId
}>
export type EndpointDeliveries = Omit<WebhookDeliveryKey, 'subjectId'>

/**
 * `pending`: events are still to be delivered. `delivered`: none are. `failed`: it failed too often; only a replay or a
 * new event retries it.
 */
export const WEBHOOK_DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number]

export type WebhookDelivery = WebhookDeliveryKey &
  Readonly<{
    /** Missing for a message. */
    alert?: Alert
    state: WebhookDeliveryState
    /** Events up to the former position are delivered; there are events up to the latter. An alert is the only event. */
    deliveredThrough: Position
    wantedThrough: Position
    /** Earlier events are not delivered. */
    since: Instant
    /** Consecutive failures of the next event. */
    failures: number
    /** The next attempt; missing if there is none, or the endpoint is disabled. */
    dueAt?: Instant
    /** The last response: a status, or why there was none. */
    lastStatus?: number
    lastError?: string
    triedAt?: Instant
    createdAt: Instant
    /** The last new event or attempt. */
    updatedAt: Instant
  }>

/** A leased delivery; `endpoint` is missing for a message's own callback. */
export type TakenDelivery = Readonly<{ delivery: WebhookDelivery; endpoint?: Endpoint }>

/** The lease is identified by the position at which it was taken: a replay moves it back and thereby ends the lease. */
export type HeldDelivery = WebhookDeliveryKey & Readonly<{ deliveredThrough?: Position }>

/**
 * The result of an attempt. `delivered` without a status: the events were skipped. With `until`, the lease is extended:
 * the holder knows of more events, whether enqueued yet or not.
 */
export type DeliveryResult =
  | Readonly<{ kind: 'delivered'; through: Position; status?: number; at: Instant; until?: Instant }>
  /** Without `again` it is not retried. */
  | Readonly<{ kind: 'failed'; status?: number; error: string; at: Instant; again?: Instant }>

export type WebhookDeliveryQuery = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  endpointId?: EndpointId
  subjectId?: SubjectId
  state?: WebhookDeliveryState
  limit: number
  cursor?: string
}>
export type WebhookDeliveryPage = Readonly<{ webhookDeliveries: readonly WebhookDelivery[]; nextCursor?: string }>

export interface WebhookDeliveries {
  /**
   * Enqueues these changes for every endpoint of their accounts, and for the message's callback. Idempotent. A new
   * delivery contains nothing from before its endpoint was created; that of a disabled endpoint is stored, but not due.
   */
  enqueue(changed: readonly ChangedMessage[]): Promise<void>

  /**
   * Enqueues the alert for every endpoint that subscribes to it: of the tenant it is for, whatever the account, or of
   * operators. Idempotent. An endpoint that was created after the alert does not get it.
   */
  enqueueAlert(alert: Alert): Promise<void>

  /**
   * Leases up to `max` due deliveries until `until`, with endpoints taking turns; at most about `each` per endpoint are
   * leased at a time.
   */
  take(at: Instant, until: Instant, max: number, each: number): Promise<readonly TakenDelivery[]>

  /**
   * Records the result of an attempt: due again at once if there are more events. Changes nothing if the events were
   * already delivered, or the delivery was replayed since it was taken.
   */
  complete(delivery: HeldDelivery, result: DeliveryResult): Promise<void>

  /** Releases it unchanged, due at once. */
  release(key: WebhookDeliveryKey, at: Instant): Promise<void>

  /** Newest change first. */
  list(query: WebhookDeliveryQuery): Promise<WebhookDeliveryPage>

  /**
   * Delivers again the events since `since`, of one subject or of all that changed since, and returns how many
   * deliveries. They are not due while the endpoint is disabled.
   */
  replay(key: EndpointDeliveries & Readonly<{ subjectId?: SubjectId }>, since: Instant, at: Instant): Promise<number>

  /** Makes the pending deliveries of an endpoint due, after it was enabled again. */
  resume(key: EndpointDeliveries, at: Instant): Promise<void>

  /** Deletes deliveries that have not changed since `before`, a few at a time. True if there may be more. */
  forget(before: Instant): Promise<boolean>
}
