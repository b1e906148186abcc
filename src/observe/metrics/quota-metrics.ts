/** How much of their quotas tenants use: only those that use most, so that the number of time series is bounded. */
import { Gauge, type Registry } from 'prom-client'
import { MESSAGE_QUOTAS, type QuotaRatio } from '../../domain/access/quotas.ts'
import { QUOTA_FIELDS } from '../../domain/access/tenant-fields.ts'

/** Of each quota. */
const MOST_TENANTS = 20

export function quotaMetrics(registers: Registry[], ratios: () => Promise<readonly QuotaRatio[]>): void {
  new Gauge({
    name: 'pombo_quota_used_ratio',
    help: 'The used share of a quota, of the tenants that use most of it',
    labelNames: ['quota', 'tenant'],
    registers,
    async collect() {
      this.reset()
      const found = await ratios().catch(() => [])
      for (const quota of MESSAGE_QUOTAS) {
        const most = found
          .filter((one) => one.quota === quota && one.ratio > 0)
          .toSorted((one, other) => other.ratio - one.ratio)
        for (const { tenantId, ratio } of most.slice(0, MOST_TENANTS)) {
          this.set({ quota: QUOTA_FIELDS[quota], tenant: tenantId }, ratio)
        }
      }
    },
  })
}
