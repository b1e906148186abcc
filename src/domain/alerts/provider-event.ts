/** A turn of a circuit breaker as an integration event. Its schema is public: docs/events. */
import { toIso } from '../../lib/time.ts'
import type { IntegrationEvent } from '../message/integration-events.ts'
import type { Alert } from './alert.ts'

export const BREAKER_EVENT = 'provider.breaker.v1'

/** Undefined for other alerts. */
export function toProviderEvent(alert: Alert): IntegrationEvent | undefined {
  if (alert.kind !== 'provider.breaker_opened' && alert.kind !== 'provider.breaker_closed') return undefined
  const { provider, openedAt, at } = alert
  const newState = alert.kind === 'provider.breaker_opened' ? 'open' : 'closed'
  return { name: BREAKER_EVENT, data: { provider, newState, openedAt: toIso(openedAt), at: toIso(at) } }
}
