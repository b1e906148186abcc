/** Posts webhooks to customers' URLs. Follows no redirects, and refuses addresses that must not be called. */
import type { WebhookResponse } from '../domain/webhooks/retry-schedule.ts'

export type WebhookRequest = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string }>

export interface WebhookTransport {
  post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse>
}
