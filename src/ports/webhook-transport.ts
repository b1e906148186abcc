/** Carries a webhook delivery to an address of a customer. Never follows a redirect, never calls an address it must not. */
import type { WebhookResponse } from '../domain/webhooks/retry-schedule.ts'

export type WebhookRequest = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string }>

export interface WebhookTransport {
  post(parcel: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse>
}
