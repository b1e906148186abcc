/** Posts webhooks to customers' URLs. Follows no redirects, and refuses addresses that must not be called. */
import type { WebhookResponse } from '../domain/webhooks/retry-schedule.ts'
import { type Millis, seconds } from '../lib/time.ts'

/** How long an endpoint may take to respond. */
export const WEBHOOK_TIMEOUT: Millis = seconds(15)

export type WebhookRequest = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string }>

export interface WebhookTransport {
  post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse>
}
