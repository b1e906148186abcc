/** Where a customer wants to be told what becomes of its messages, and of which changes. */

import type { Instant } from '../../lib/time.ts'
import type { AccountId, EndpointId, TenantId } from '../ids.ts'
import { STATUSES, type Status } from '../message/states.ts'

export type WebhookEventType = `message.${Status}`
export const WEBHOOK_EVENT_TYPES = STATUSES.map((status): WebhookEventType => `message.${status}`)

/** Why an endpoint is told nothing: somebody said so, it has failed for days, or it answered that it is gone. */
export const DISABLED_REASONS = ['by_hand', 'failing', 'gone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export type Endpoint = Readonly<{
  id: EndpointId
  tenantId: TenantId
  accountId: AccountId
  url: string
  description?: string
  /** Of what it is told; empty is of everything. */
  events: readonly WebhookEventType[]
  /** Secrets are made from the master key and this number, and not stored. */
  secretVersion: number
  /** Until when the secret before this one signs too. */
  previousSecretUntil?: Instant
  disabled?: DisabledReason
  /** Since when every call has failed. */
  failingSince?: Instant
  /** Another one after every change by a person, and when failing disables it. */
  version: number
  createdAt: Instant
  updatedAt: Instant
}>

/** Stands for the `callback_url` that a message itself carries. Each account has this one. */
export const CALLBACK = 'callback' as EndpointId

/** Callbacks have one secret for good: it is stored nowhere which version of it there is. */
export const CALLBACK_SECRET_VERSION = 1
