/**
 * An alert tells of a turn of a tenant or of the installation, not of a message: a quota that runs out, a circuit breaker
 * that opens. Each turn has one id, whichever processes notice it.
 */
import type { Instant, Millis } from '../../lib/time.ts'
import type { MessageQuota } from '../access/quotas.ts'
import type { AlertId, ProviderName, TenantId } from '../ids.ts'

/** Told to the endpoints of the tenant. */
export const TENANT_ALERTS = ['quota.warning', 'quota.exceeded'] as const
/** Told to the endpoints that operators have subscribed to them, whatever the tenant. */
export const OPERATOR_ALERTS = [
  'tenant.quota_warning',
  'tenant.quota_exceeded',
  'provider.breaker_opened',
  'provider.breaker_closed',
  'provider.degraded',
  'provider.recovered',
  'dead_letters.high',
] as const

export const ALERT_KINDS = [...TENANT_ALERTS, ...OPERATOR_ALERTS] as const

export type TenantAlertKind = (typeof TENANT_ALERTS)[number]
export type OperatorAlertKind = (typeof OPERATOR_ALERTS)[number]
export type AlertKind = (typeof ALERT_KINDS)[number]

/** What an alert says. */
export type Notice =
  | (QuotaUse & Readonly<{ kind: TenantAlertKind | 'tenant.quota_warning' | 'tenant.quota_exceeded' }>)
  | Readonly<{ kind: 'provider.breaker_opened' | 'provider.breaker_closed'; provider: ProviderName; openedAt: Instant }>
  | (SuccessRates & Readonly<{ kind: 'provider.degraded' | 'provider.recovered'; provider: ProviderName }>)
  | Readonly<{ kind: 'dead_letters.high'; count: number; threshold: number; period: Millis }>

export type QuotaUse = Readonly<{ tenantId: TenantId; quota: MessageQuota; limit: number; used: number }>

/** How many of a provider's recent results were good, and how many usually are, from 0 to 1. */
export type SuccessRates = Readonly<{ successRate: number; usualRate: number; results: number; period: Millis }>

export type Alert = Notice & Readonly<{ id: AlertId; at: Instant }>

/** What turned: a quota of a tenant, a provider, or the installation as a whole. */
export function subjectOf(notice: Notice): string {
  switch (notice.kind) {
    case 'quota.warning':
    case 'quota.exceeded':
    case 'tenant.quota_warning':
    case 'tenant.quota_exceeded':
      return `${notice.tenantId} ${notice.quota}`
    case 'provider.breaker_opened':
    case 'provider.breaker_closed':
    case 'provider.degraded':
    case 'provider.recovered':
      return notice.provider
    case 'dead_letters.high':
      return ''
  }
}

/** The tenant whose endpoints get it; undefined for operators' alerts. */
export const tenantOf = (notice: Notice): TenantId | undefined =>
  notice.kind === 'quota.warning' || notice.kind === 'quota.exceeded' ? notice.tenantId : undefined

const FOR_OPERATORS = {
  'quota.warning': 'tenant.quota_warning',
  'quota.exceeded': 'tenant.quota_exceeded',
} as const satisfies Record<TenantAlertKind, OperatorAlertKind>

/** Operators learn what tenants do. */
export const toOperators = (notice: Notice): Notice =>
  notice.kind === 'quota.warning' || notice.kind === 'quota.exceeded'
    ? { ...notice, kind: FOR_OPERATORS[notice.kind] }
    : notice

export const isForOperators = (type: string): boolean => OPERATOR_ALERTS.some((kind) => kind === type)
