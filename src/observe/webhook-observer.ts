/** What is counted and logged of telling customers. Neither where an endpoint is nor what it was told. */
import type { Logger } from 'pino'
import type { DisabledReason } from '../domain/webhooks/endpoint.ts'
import type { EndpointKey } from '../ports/endpoints.ts'
import type { Metrics } from './metrics.ts'

type Counted = Pick<Metrics, 'onWebhookDelivered' | 'onWebhookFailed' | 'onEndpointDisabled'>

const SENTENCES = {
  by_hand: 'an endpoint is disabled by hand',
  failing: 'an endpoint has failed for days: it is disabled',
  gone: 'an endpoint says that it is gone: it is disabled',
} as const satisfies Record<DisabledReason, string>

export const webhookObserver = (metrics: Counted, logger: Logger) => ({
  onTold: (): void => metrics.onWebhookDelivered(),
  onFailed: (_endpoint: EndpointKey, reason: string): void => metrics.onWebhookFailed(reason),
  onDisabled({ tenantId, accountId, id }: EndpointKey, reason: DisabledReason): void {
    metrics.onEndpointDisabled(reason)
    logger.warn({ tenant_id: tenantId, account_id: accountId, endpoint_id: id, reason }, SENTENCES[reason])
  },
})
