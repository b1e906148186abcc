/** What a store that is moved into another tells of itself beside the other ports: whose things it has, and which challenges. */

import type { TenantId } from '../domain/ids.ts'
import type { Challenge } from '../domain/otp/challenge.ts'

export type ChallengePage = Readonly<{ challenges: readonly Challenge[]; nextCursor?: string }>

export interface SetupListing {
  /** Those that have a limit, a recipient, a suppressed address, a template, a route, or a challenge that is not cleared. */
  tenants(): Promise<readonly TenantId[]>

  /** The challenges of a tenant whose messages may still have their content. */
  uncleared(query: Readonly<{ tenantId: TenantId; limit: number; cursor?: string }>): Promise<ChallengePage>
}
