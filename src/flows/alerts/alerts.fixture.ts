/** Alerts on an engine: what is told is what endpoints get. For tests only. */
import type { Alert, Notice } from '../../domain/alerts/alert.ts'
import type { AccountId, EndpointId, TenantId } from '../../domain/ids.ts'
import type { WebhookEventType } from '../../domain/webhooks/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, instant, later, seconds } from '../../lib/time.ts'
import type { Engines } from '../../ports/engines.ts'
import type { Ids } from '../../ports/world.ts'
import type { AlertDeps } from './raise.ts'

type Engine = Pick<Engines, 'endpoints' | 'webhookDeliveries' | 'raisedAlerts' | 'providerResults' | 'breakers'>
export type AlertWorld = Readonly<{ openEngine: (options: { clock: Clock }) => Engine; ids: Ids }>

export const TENANT = 'north' as TenantId
const NOON = instant(Date.parse('2030-01-31T12:00:00Z'))

export function openAlertWorld({ openEngine, ids }: AlertWorld) {
  let now: Instant = NOON
  const clock: Clock = () => now
  const engine = openEngine({ clock })
  const { endpoints, webhookDeliveries, raisedAlerts } = engine
  const turns: Notice[] = []
  const outside: Alert[] = []
  const deps: AlertDeps = {
    ...{ webhookDeliveries, raisedAlerts, clock, ids },
    onTurn: (notice) => void turns.push(notice),
    outlets: [async (alert) => void outside.push(alert)],
  }
  return {
    ...{ engine, deps, clock, turns, outside },
    pass: (by: number) => {
      now = later(now, seconds(by))
    },
    addEndpoint: (events: readonly WebhookEventType[] = []) =>
      endpoints.add({
        ...{ id: 'e1' as EndpointId, tenantId: TENANT, accountId: 'shop' as AccountId },
        ...{ url: 'https://shop.example/hooks', events, secretVersion: 1, createdAt: NOON, updatedAt: NOON },
      }),
    /** The alerts enqueued since the last call, oldest first. */
    told: async (): Promise<readonly Alert[]> => {
      const taken = await webhookDeliveries.take(now, later(now, seconds(1e6)), 100, 100)
      return taken
        .map(({ delivery }) => delivery.alert)
        .filter((alert) => alert !== undefined)
        .toSorted((one, other) => one.at - other.at)
    },
  }
}
