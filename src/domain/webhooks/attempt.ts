/** One attempt to deliver a webhook event: what was sent and what came back, as it may be shown. */

import type { Instant, Millis } from '../../lib/time.ts'
import type { AccountId, AlertId, EndpointId, MessageId, TenantId, WebhookAttemptId } from '../ids.ts'
import type { WebhookEventType } from './endpoint.ts'
import type { KeptBody, KeptHeaders } from './kept-text.ts'
import { isSuccessful, type WebhookResponse } from './retry-schedule.ts'

export type WebhookAttempt = Readonly<{
  id: WebhookAttemptId
  tenantId: TenantId
  accountId: AccountId
  endpointId: EndpointId
  /** The message or alert; missing for a test event. */
  subjectId?: MessageId | AlertId
  /** `id` is the `webhook-id`. */
  event: Readonly<{ id: string; type: WebhookEventType }>
  at: Instant
  duration: Millis
  request: Readonly<{ url: string; headers: KeptHeaders; body: KeptBody }>
  /** Missing if there was none; then `error` says why. */
  response?: Readonly<{ status: number; headers: KeptHeaders; body: KeptBody }>
  error?: string
  /** When the event was to be attempted again, as it was planned then. */
  nextAt?: Instant
}>

/** The message that an attempt was about, if it was about one. */
export const messageOf = ({ subjectId, event }: WebhookAttempt): MessageId | undefined =>
  subjectId !== undefined && event.type.startsWith('message.') ? (subjectId as MessageId) : undefined

export const hasSucceeded = ({ response }: WebhookAttempt): boolean =>
  response !== undefined && isSuccessful(response.status)

/** What an attempt keeps of a response. */
export const toKeptResponse = (response: WebhookResponse): Pick<WebhookAttempt, 'response' | 'error'> =>
  response.kind === 'answered'
    ? { response: { status: response.status, headers: response.headers, body: response.body } }
    : { error: response.reason }
