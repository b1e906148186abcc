/** The fields of an alert as receivers see them. Their schemas are public: docs/events. */
import { toIso } from '../../lib/time.ts'
import { QUOTA_FIELDS } from '../access/tenant-fields.ts'
import { isTestTenant, liveTenantOf } from '../access/test-mode.ts'
import type { Notice } from './alert.ts'

export type AlertData = Readonly<Record<string, string | number>>

export function toAlertData(notice: Notice): AlertData {
  switch (notice.kind) {
    case 'quota.warning':
    case 'quota.exceeded':
    case 'tenant.quota_warning':
    case 'tenant.quota_exceeded': {
      const { tenantId, quota, limit, used } = notice
      const mode = isTestTenant(tenantId) ? 'test' : 'live'
      return { tenant_id: liveTenantOf(tenantId), mode, quota: QUOTA_FIELDS[quota], limit, used }
    }
    case 'provider.breaker_opened':
    case 'provider.breaker_closed':
      return { provider: notice.provider, opened_at: toIso(notice.openedAt) }
    case 'provider.degraded':
    case 'provider.recovered': {
      const { provider, successRate, usualRate, results, period } = notice
      return { provider, success_rate: successRate, usual_rate: usualRate, results, period_seconds: period / 1000 }
    }
    case 'dead_letters.high': {
      const { count, threshold, period } = notice
      return { count, threshold, period_seconds: period / 1000 }
    }
  }
}
