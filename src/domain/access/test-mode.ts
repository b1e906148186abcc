/**
 * Test mode. What a test key or a test token does happens in a tenant of its own beside the live one, so test data never
 * mixes with live data, in any list, limit, template or idempotency key. Messages of test tenants go to the simulator.
 */
import type { TenantId } from '../ids.ts'

export const MODES = ['live', 'test'] as const
export type Mode = (typeof MODES)[number]

/** Not allowed in the id of a tenant, so nobody can name a test tenant. */
const SUFFIX = '~test'

export const isTestTenant = (tenantId: TenantId): boolean => tenantId.endsWith(SUFFIX)

/** The tenant in which calls of a mode happen. */
export const tenantIn = (mode: Mode, tenantId: TenantId): TenantId =>
  mode === 'test' && !isTestTenant(tenantId) ? (`${tenantId}${SUFFIX}` as TenantId) : tenantId

/** The tenant that a test tenant belongs to; any other tenant is its own. */
export const liveTenantOf = (tenantId: TenantId): TenantId =>
  isTestTenant(tenantId) ? (tenantId.slice(0, -SUFFIX.length) as TenantId) : tenantId
