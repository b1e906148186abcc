import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import type { TenantId } from '../../domain/ids.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { createdEntry, someMessage, stopped } from '../../ports/samples.contract.ts'
import { MOST_TENANTS, tenantMetrics } from './tenant-metrics.ts'

function open() {
  let now: Instant = stopped()
  const registry = new Registry()
  const observe = tenantMetrics([registry], () => now)
  return {
    pass: () => {
      now = later(now, seconds(600))
    },
    accept: (tenant: string, times: number): void => {
      const { event } = createdEntry({ ...someMessage(), tenantId: tenant as TenantId })
      for (let n = 0; n < times; n += 1) observe(event)
    },
    accepted: async (): Promise<ReadonlyMap<unknown, number>> => {
      const [metric] = await registry.getMetricsAsJSON()
      const queued = (metric?.values ?? []).filter(({ labels }) => labels['status'] === 'queued')
      return new Map(queued.map(({ labels, value }) => [labels['tenant'], value]))
    },
  }
}

test('exports only the tenants that send most', async () => {
  const { accept, accepted } = open()
  for (let n = 1; n <= MOST_TENANTS + 5; n += 1) accept(`tenant-${n}`, n)
  const found = await accepted()
  assert.equal(found.size, MOST_TENANTS)
  assert.equal(found.get(`tenant-${MOST_TENANTS + 5}`), MOST_TENANTS + 5)
  assert.equal(found.has('tenant-5'), false)
})

test('a tenant that begins to send a lot replaces one that no longer does', async () => {
  const { accept, accepted, pass } = open()
  for (let n = 0; n < MOST_TENANTS; n += 1) accept(`old-${n}`, 100)
  await accepted()
  for (let n = 0; n < 3; n += 1) {
    pass()
    await accepted()
  }
  accept('new', 20)
  const found = await accepted()
  assert.equal(found.get('new'), 20)
  assert.equal(found.size, MOST_TENANTS)
})

test('forgets tenants that have not sent for hours', async () => {
  const { accept, accepted, pass } = open()
  accept('once', 1)
  assert.equal((await accepted()).get('once'), 1)
  for (let n = 0; n < 2; n += 1) {
    pass()
    await accepted()
  }
  assert.equal((await accepted()).size, 0)
})
