/** Tenants as the gateway returns them. */
import type { paths } from '../../api/schema.gen.d.ts'
import type { Tone } from '../../ui/parts.tsx'

export type Tenant = paths['/v1/tenants']['get']['responses'][200]['content']['application/json']['items'][number]
export type Quota = keyof NonNullable<Tenant['quotas']>
export type QuotaUse =
  paths['/v1/tenants/{id}/usage']['get']['responses'][200]['content']['application/json']['items'][number]

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
