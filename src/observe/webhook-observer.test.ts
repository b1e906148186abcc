import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import type { AccountId, EndpointId, TenantId } from '../domain/ids.ts'
import { openTestMetrics } from './metrics/metrics.fixture.ts'
import { webhookObserver } from './webhook-observer.ts'

const ENDPOINT = { tenantId: 'north' as TenantId, accountId: 'shop' as AccountId, id: 'e1' as EndpointId }

test('counts deliveries, failures by reason and disabled endpoints, and warns about the latter', async () => {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const metrics = openTestMetrics()
  const observer = webhookObserver(metrics, logger)
  observer.onDelivered()
  observer.onDelivered()
  for (const reason of ['5xx', 'unreachable', '5xx']) observer.onFailed(ENDPOINT, reason)
  observer.onDisabled(ENDPOINT, 'gone')

  const text = await metrics.registry.metrics()
  for (const line of [
    'pombo_webhook_deliveries_total 2',
    'pombo_webhook_delivery_failures_total{reason="5xx"} 2',
    'pombo_webhook_delivery_failures_total{reason="unreachable"} 1',
    'pombo_endpoints_disabled_total{reason="gone"} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), line)
  }
  const WARN = 40
  const [{ level, tenant_id, account_id, endpoint_id, reason, msg } = {}] = lines
  assert.deepEqual([level, tenant_id, account_id, endpoint_id, reason], [WARN, 'north', 'shop', 'e1', 'gone'])
  assert.deepEqual([msg, lines.length], ['webhooks: endpoint disabled because it answered 410 Gone', 1])
})
