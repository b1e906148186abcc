/** Whether calls of a tenant are served: not while it is suspended, and with POMBO_TENANTS=known only if it is described. */

import type { Caller } from '../../domain/access/caller.ts'
import type { TenantPolicy } from '../../domain/access/tenant.ts'
import type { TenantId } from '../../domain/ids.ts'
import { tenantSuspended } from '../../flows/access/unsendable.ts'
import { refuse } from '../../flows/errors.ts'
import type { Tenants } from '../../ports/tenants.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { allows } from '../http/auth.ts'

export type TenantCheck = Readonly<{
  /** Throws a refusal if the caller's tenant is not served. */
  checkTenant: (caller: Caller) => void
  /** Throws a refusal if no operator may act for the tenant. */
  checkNamed: (tenantId: TenantId) => void
}>

/** Operators are never locked out, whatever their own tenant, and may look after a tenant that is suspended. */
export function tenantCheck(tenants: Pick<Tenants, 'of' | 'isLoaded'>, policy: TenantPolicy): TenantCheck {
  const checkKnown = (tenantId: TenantId): void => {
    if (policy === 'any' || tenants.of(tenantId) !== undefined) return
    if (!tenants.isLoaded()) throw new Unavailable('the tenants are not loaded yet')
    throw refuse('TENANT_UNKNOWN', 'This installation serves only tenants that an operator has created')
  }
  return {
    checkTenant(caller) {
      if (allows(caller, 'operator')) return
      checkKnown(caller.tenantId)
      if (tenants.of(caller.tenantId)?.state === 'suspended') throw tenantSuspended()
    },
    checkNamed: checkKnown,
  }
}
