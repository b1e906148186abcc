/** A webhook endpoint and the events it subscribes to. */

import type { Instant } from '../../lib/time.ts'
import { ALERT_KINDS, type AlertKind, isForOperators } from '../alerts/alert.ts'
import type { AccountId, EndpointId, TenantId } from '../ids.ts'
import { STATUSES, type Status } from '../message/states.ts'

export type WebhookEventType = `message.${Status}` | AlertKind
export const WEBHOOK_EVENT_TYPES: readonly WebhookEventType[] = [
  ...STATUSES.map((status) => `message.${status}` as const),
  ...ALERT_KINDS,
]

/** Why an endpoint is disabled: a person did it, it kept failing, or it responded 410 Gone. */
export const DISABLED_REASONS = ['by_hand', 'failing', 'gone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export type Endpoint = Readonly<{
  id: EndpointId
  tenantId: TenantId
  accountId: AccountId
  url: string
  description?: string
  /** The subscribed events; empty means all but those for operators. */
  events: readonly WebhookEventType[]
  /** The secret is derived from the master key and this number, and not stored. */
  secretVersion: number
  /** Until when the previous secret signs too. */
  previousSecretUntil?: Instant
  disabled?: DisabledReason
  /** Since when every call has failed. */
  failingSince?: Instant
  /** Changes with every change by a person, and when failures disable the endpoint. */
  version: number
  createdAt: Instant
  updatedAt: Instant
}>

export const subscribesTo = ({ events }: Pick<Endpoint, 'events'>, type: WebhookEventType): boolean =>
  events.length === 0 ? !isForOperators(type) : events.includes(type)

/** Only operators may set up an endpoint that is told of the installation or of other tenants. */
export const isOperators = ({ events }: Pick<Endpoint, 'events'>): boolean => events.some(isForOperators)

/** The reserved id for deliveries to a message's own `callback_url`, in every account. */
export const CALLBACK = 'callback' as EndpointId

/** Callbacks have one permanent secret, because nothing stores its version. */
export const CALLBACK_SECRET_VERSION = 1
