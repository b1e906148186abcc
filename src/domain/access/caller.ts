/** Who calls, and what they may do: the same for HTTP, SMTP and SMPP. */
import type { AccountId, TenantId } from '../ids.ts'
import type { Actor } from './actor.ts'
import type { Scope } from './scope.ts'

/** In test mode the tenant is the test tenant. */
export type Caller = Readonly<{
  tenantId: TenantId
  /** The caller's own tenant, if it acts for another. */
  homeTenantId?: TenantId
  accountId: AccountId
  scopes: ReadonlySet<Scope>
  actor: Actor
}>
