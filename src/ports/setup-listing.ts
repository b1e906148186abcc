/** What an import needs of the source store besides the other ports. */

import type { TenantId } from '../domain/ids.ts'
import type { Challenge } from '../domain/otp/challenge.ts'

export type ChallengePage = Readonly<{ challenges: readonly Challenge[]; nextCursor?: string }>

export interface SetupListing {
  /** The tenants with a limit, a recipient, a suppression, a template, a route, a domain, an API key, a user, or an open challenge. */
  tenants(): Promise<readonly TenantId[]>

  /** The challenges of a tenant whose messages may still have content. */
  uncleared(query: Readonly<{ tenantId: TenantId; limit: number; cursor?: string }>): Promise<ChallengePage>
}
