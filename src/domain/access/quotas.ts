/** How much a tenant may set up, have waiting and store: as an operator has decided, or by the installation's defaults. */
import type { TenantAlertKind } from '../alerts/alert.ts'
import type { TenantId } from '../ids.ts'
import type { Quotas, Tenant } from './tenant.ts'

export type QuotaName = keyof Quotas

/** The quotas of messages are checked when one is accepted, the others when something is added to the set-up. */
export const MESSAGE_QUOTAS = ['waitingMessages', 'storedBytes'] as const
export type MessageQuota = (typeof MESSAGE_QUOTAS)[number]
export type SetupQuota = Exclude<QuotaName, MessageQuota>

/** Infinite where there is no bound. */
export type QuotaLimits = Readonly<Record<QuotaName, number>>

export const DEFAULT_QUOTAS: QuotaLimits = {
  limits: 1_000,
  templates: 1_000,
  routes: 1_000,
  endpoints: 1_000,
  recipients: 1_000_000,
  apiKeys: 100,
  waitingMessages: 1_000_000,
  storedBytes: Number.POSITIVE_INFINITY,
}

export type QuotasOf = (tenantId: TenantId) => QuotaLimits

/** A test tenant has the quotas of its live tenant, and its own use of them. */
export const quotasBy =
  (describe: (tenantId: TenantId) => Tenant | undefined, defaults = DEFAULT_QUOTAS): QuotasOf =>
  (tenantId) => {
    const own = describe(tenantId)?.quotas
    return own === undefined ? defaults : { ...defaults, ...own }
  }

/** How much of a quota is used, from 0 to 1 and beyond. */
export const ratioOf = (used: number, limit: number): number => (limit === 0 ? Number(used > 0) : used / limit)

/** How much of a quota of messages a tenant uses. */
export type QuotaRatio = Readonly<{ tenantId: TenantId; quota: MessageQuota; ratio: number }>

/** From here on, the tenant is told. */
export const QUOTA_LEVELS = { 'quota.warning': 0.8, 'quota.exceeded': 1 } as const satisfies Record<
  TenantAlertKind,
  number
>
/** It is told again only if less than this was used in between. */
export const CALM_RATIO = 0.7
