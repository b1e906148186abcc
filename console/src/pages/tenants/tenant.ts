/** Tenants as the gateway returns them. */
import type { components } from '../../api/schema.gen.d.ts'
import type { Tone } from '../../ui/parts.tsx'

export type Tenant = components['schemas']['Tenant']
export type Quota = keyof components['schemas']['TenantQuotas']
export type QuotaUse = components['schemas']['QuotaUsage']

export const TENANTS = ['tenants'] as const

export const QUOTAS = [
  'limits',
  'templates',
  'routes',
  'endpoints',
  'recipients',
  'api_keys',
  'waiting_messages',
  'stored_bytes',
] as const satisfies readonly Quota[]

export const STATE_TONES: Readonly<Record<Tenant['state'], Tone>> = { active: 'good', suspended: 'bad' }
