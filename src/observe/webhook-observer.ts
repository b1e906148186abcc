/** Counts webhook deliveries and logs disabled endpoints; never URLs or payloads. */
import type { Logger } from 'pino'
import type { DisabledReason } from '../domain/webhooks/endpoint.ts'
import type { EndpointKey } from '../ports/endpoints.ts'
import type { Metrics } from './metrics/metrics.ts'

type WebhookMetrics = Pick<Metrics, 'onWebhookDelivered' | 'onWebhookFailed' | 'onEndpointDisabled'>

const MESSAGES = {
  by_hand: 'webhooks: endpoint disabled manually',
  failing: 'webhooks: endpoint disabled after failing for days',
  gone: 'webhooks: endpoint disabled because it answered 410 Gone',
} as const satisfies Record<DisabledReason, string>

export const webhookObserver = (metrics: WebhookMetrics, logger: Logger) => ({
  onDelivered: (): void => metrics.onWebhookDelivered(),
  onFailed: (_endpoint: EndpointKey, reason: string): void => metrics.onWebhookFailed(reason),
  onDisabled({ tenantId, accountId, id }: EndpointKey, reason: DisabledReason): void {
    metrics.onEndpointDisabled(reason)
    logger.warn({ tenant_id: tenantId, account_id: accountId, endpoint_id: id, reason }, MESSAGES[reason])
  },
})
