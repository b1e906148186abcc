import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import type { QuotaRatio } from '../../domain/access/quotas.ts'
import type { TenantId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { quotaMetrics } from './quota-metrics.ts'

test('the metric has the tenants that use most of each quota', async () => {
  const registry = new Registry()
  const ratios: QuotaRatio[] = Array.from({ length: 50 }, (_, nth) => ({
    tenantId: `t${nth}` as TenantId,
    quota: nth % 2 === 0 ? 'waitingMessages' : 'storedBytes',
    ratio: nth / 50,
  }))
  quotaMetrics([registry], async () => ratios)
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('pombo_quota_used_ratio{'))
  const ofWaiting = lines.filter((line) => line.includes('quota="waiting_messages"'))
  assert.deepEqual([ofWaiting.length, lines.length], [20, 40])
  assert.equal(ofWaiting[0], 'pombo_quota_used_ratio{quota="waiting_messages",tenant="t48"} 0.96')
})

test('the metric is empty while nothing can be measured', async () => {
  const registry = new Registry()
  quotaMetrics([registry], () => Promise.reject(new Unavailable('NATS is unreachable')))
  assert.doesNotMatch(await registry.metrics(), /pombo_quota_used_ratio\{/)
})
