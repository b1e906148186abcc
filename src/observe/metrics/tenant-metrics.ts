/**
 * The messages of the tenants that send most: only those are exported, so that the number of time series is bounded
 * however many tenants there are. A tenant that has just begun to send a lot takes the place of one that no longer does.
 */
import { Counter, type Registry } from 'prom-client'
import { type Status, toStatus } from '../../domain/message/states.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, seconds } from '../../lib/time.ts'
import type { ObserveEvent } from './metrics.ts'

export const MOST_TENANTS = 20
/** Further tenants are not counted until others are forgotten. */
const MOST_COUNTED = 10_000
/** After this time, what a tenant did counts half. */
const HALVED_AFTER = seconds(600)

const COUNTED = ['queued', 'sent', 'delivered', 'failed', 'expired'] as const satisfies readonly Status[]
type Counted = (typeof COUNTED)[number]
type Tenant = { readonly counts: Record<Counted, number>; recent: number }

export function tenantMetrics(registers: Registry[], clock: Clock): ObserveEvent {
  const tenants = new Map<string, Tenant>()
  let halveAt = later(clock(), HALVED_AFTER)

  function halve(): void {
    const now = clock()
    if (now < halveAt) return
    halveAt = later(now, HALVED_AFTER)
    for (const [id, tenant] of tenants) {
      tenant.recent /= 2
      if (tenant.recent < 0.5) tenants.delete(id)
    }
  }

  new Counter({
    name: 'pombo_tenant_messages_total',
    help: 'Messages of the tenants that send most, by the public status that they reached',
    labelNames: ['tenant', 'status'],
    registers,
    collect() {
      halve()
      this.reset()
      const most = [...tenants].toSorted(([, one], [, other]) => other.recent - one.recent).slice(0, MOST_TENANTS)
      for (const [tenant, { counts }] of most) {
        for (const status of COUNTED) this.inc({ tenant, status }, counts[status])
      }
    },
  })

  return ({ previousStatus, state }) => {
    const status = toStatus(state)
    if (status === previousStatus || status === 'sending') return
    const tenant = tenants.get(state.tenantId) ?? add(tenants, state.tenantId)
    if (tenant === undefined) return
    tenant.counts[status] += 1
    tenant.recent += 1
  }
}

function add(tenants: Map<string, Tenant>, id: string): Tenant | undefined {
  if (tenants.size >= MOST_COUNTED) return undefined
  const tenant = { counts: { queued: 0, sent: 0, delivered: 0, failed: 0, expired: 0 }, recent: 0 }
  tenants.set(id, tenant)
  return tenant
}
