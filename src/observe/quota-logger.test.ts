import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { QuotaRatio } from '../domain/access/quotas.ts'
import type { TenantId } from '../domain/ids.ts'
import { inProcessRoundLock } from '../engines/shared/in-process-round-lock.ts'
import { type Instant, instant, later, seconds } from '../lib/time.ts'
import type { RoundLock } from '../ports/round-lock.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { quotaLogger } from './quota-logger.ts'
import { quotaMetrics } from './quota-metrics.ts'

const NORTH = 'north' as TenantId
const WARNING = { tenantId: NORTH, quota: 'waitingMessages', limit: 100, used: 80 } as const

function open(rounds: RoundLock = inProcessRoundLock()) {
  let now: Instant = instant(Date.parse('2030-01-31T12:00:00Z'))
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const warn = quotaLogger({ rounds, clock: () => now, logger })
  return {
    lines,
    warn,
    pass: (by: number) => {
      now = later(now, seconds(by))
    },
  }
}

test('a warning is one line with the tenant and the quota, however many processes notice it', async () => {
  const rounds = inProcessRoundLock()
  const [one, other] = [open(rounds), open(rounds)]
  await one.warn(WARNING)
  await other.warn({ ...WARNING, used: 81 })
  assert.deepEqual(other.lines, [])
  assert.deepEqual(one.lines, [
    {
      level: 40,
      tenant_id: 'north',
      quota: 'waiting_messages',
      limit: 100,
      used: 80,
      msg: 'quota: the tenant uses most of it',
    },
  ])
  await other.warn({ ...WARNING, quota: 'storedBytes' })
  await other.warn({ ...WARNING, tenantId: 'south' as TenantId })
  assert.equal(other.lines.length, 2)
  one.pass(120)
  await one.warn(WARNING)
  assert.equal(one.lines.length, 2)
})

test('while nobody can say whether another process has warned, it is said twice rather than never', async () => {
  const { warn, lines } = open({ begin: () => Promise.reject(new Unavailable('NATS is unreachable')) })
  await warn(WARNING)
  assert.equal(lines.length, 1)
})

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
