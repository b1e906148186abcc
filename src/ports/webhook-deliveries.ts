/**
 * What endpoints are still to be told. There is one webhook delivery for each message and endpoint: it says how far into
 * the message's events the endpoint has been told, so that it is told of every change, in order. A webhook delivery is
 * derived from the log by whoever keeps the index; what is lost of it is wanted again.
 */

import type { AccountId, EndpointId, MessageId, TenantId } from '../domain/ids.ts'
import type { Endpoint } from '../domain/webhooks/endpoint.ts'
import { type Instant, type Millis, seconds } from '../lib/time.ts'
import type { Position } from './event-log.ts'

/** Webhook deliveries that have not changed for this long are told to nobody any more, and forgotten. */
export const DELIVERIES_KEPT_FOR: Millis = seconds(7 * 24 * 60 * 60)

/** A message that has an event at this position. `hasCallback`: it carries a `callback_url` of its own. */
export type Changed = Readonly<{
  messageId: MessageId
  tenantId: TenantId
  accountId: AccountId
  position: Position
  hasCallback: boolean
  at: Instant
}>

export type WebhookDeliveryKey = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  messageId: MessageId
  endpointId: EndpointId
}>

/** `pending`: there is something to tell. `told`: there is not. `given_up`: it failed too often; only a replay tells it. */
export const WEBHOOK_DELIVERY_STATES = ['pending', 'told', 'given_up'] as const
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number]

export type WebhookDelivery = WebhookDeliveryKey &
  Readonly<{
    state: WebhookDeliveryState
    /** Up to which position of the log it was told, and up to which there is something to tell. */
    told: Position
    wanted: Position
    /** Nothing is told of what happened before. */
    since: Instant
    /** How often telling the next event has failed. */
    failures: number
    /** When it is told next; missing where it is not to be told, or its endpoint is disabled. */
    dueAt?: Instant
    /** What the endpoint answered last: a status, or why there was none. */
    lastStatus?: number
    lastError?: string
    triedAt?: Instant
    createdAt: Instant
    /** When there was last something new to tell, or it was tried. */
    updatedAt: Instant
  }>

/** A webhook delivery in the hands of who tells it; `endpoint` is missing where it goes to the message's own callback. */
export type TakenDelivery = Readonly<{ delivery: WebhookDelivery; endpoint?: Endpoint }>

/** Whose hands it is in is told by how far it had been told when it was taken: replaying it takes it out of them. */
export type HeldDelivery = WebhookDeliveryKey & Readonly<{ told?: Position }>

/**
 * How a try to tell one event ended. `told` also stands for what was passed over, then without a status. With
 * `until` it stays in the same hands until then: who has it knows that there is more, whether it was wanted yet or not.
 */
export type DeliveryResult =
  | Readonly<{ kind: 'told'; through: Position; status?: number; at: Instant; until?: Instant }>
  /** `again` is missing where it is given up. */
  | Readonly<{ kind: 'failed'; status?: number; error: string; at: Instant; again?: Instant }>

export type WebhookDeliveryQuery = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  endpointId?: EndpointId
  messageId?: MessageId
  state?: WebhookDeliveryState
  limit: number
  cursor?: string
}>
export type WebhookDeliveryPage = Readonly<{ webhookDeliveries: readonly WebhookDelivery[]; nextCursor?: string }>

export interface WebhookDeliveries {
  /**
   * Every endpoint of their accounts is to be told of these changes, and where there is one the callback of the
   * message. Idempotent. A new webhook delivery of an endpoint tells nothing from before the endpoint was made; one of a
   * disabled endpoint is kept, and not due.
   */
  enqueue(changed: readonly Changed[]): Promise<void>

  /**
   * Up to `max` webhook deliveries that are due, from endpoints in fair turns; nobody else gets them before `until`. Of one
   * endpoint about `each` are in anybody's hands at a time, and no more are taken at once.
   */
  take(at: Instant, until: Instant, max: number, each: number): Promise<readonly TakenDelivery[]>

  /**
   * Where it was told and there is more, it is due at once; where it was told all, it is told. What is known to be
   * told already, or was replayed since it was taken, changes nothing.
   */
  complete(delivery: HeldDelivery, told: DeliveryResult): Promise<void>

  /** Hands it back as it was, due at once. */
  release(key: WebhookDeliveryKey, at: Instant): Promise<void>

  /** Newest change first. */
  list(query: WebhookDeliveryQuery): Promise<WebhookDeliveryPage>

  /**
   * Tells again what happened since then, of one message or of all that changed since, and answers of how many.
   * Where the endpoint is disabled they are not due.
   */
  replay(
    key: Omit<WebhookDeliveryKey, 'messageId'> & Readonly<{ messageId?: MessageId }>,
    since: Instant,
    at: Instant,
  ): Promise<number>

  /** Makes what is pending for an endpoint due, now that it is enabled again. */
  resume(key: Omit<WebhookDeliveryKey, 'messageId'>, at: Instant): Promise<void>

  /** Forgets webhook deliveries that have not changed since `before`, a few at a time. Whether there may be more. */
  forget(before: Instant): Promise<boolean>
}
