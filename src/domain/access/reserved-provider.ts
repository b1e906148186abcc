/** Which tenants may use a provider: those that it is reserved for, if it is, and of these each whose list allows it. */
import type { ProviderName, TenantId } from '../ids.ts'
import { liveTenantOf } from './test-mode.ts'

/** `tenants` are the only ones that may use it; without, all may. */
export type Reservable = Readonly<{ name: ProviderName; tenants?: readonly TenantId[] }>

/** `allowed` is the list of the tenant, if it has one. A reservation includes the test mode of its tenants. */
export const mayUse = (
  { name, tenants }: Reservable,
  tenantId: TenantId,
  allowed?: readonly ProviderName[] | undefined,
): boolean =>
  (tenants === undefined || tenants.includes(liveTenantOf(tenantId))) &&
  (allowed === undefined || allowed.includes(name))
