/** How much tenants use of what is bounded for each of them. */
import type { SetupQuota } from '../domain/access/quotas.ts'
import type { TenantId } from '../domain/ids.ts'

/**
 * `waiting` counts messages that are accepted and neither handed to a provider nor given up. `storedBytes` is what all
 * messages of the tenant occupy, give or take what has just happened. A number that cannot be read now is missing.
 */
export type MessageUsage = Readonly<{ waiting?: number; storedBytes?: number }>

/** How many there are of each; of templates, how many names. API keys are in memory: see `ApiKeys`. */
export type SetupUsage = Readonly<Record<Exclude<SetupQuota, 'apiKeys'>, number>>

export interface Usage {
  /** The messages of these tenants. A tenant that is missing has none, or none of its numbers can be read. */
  measure(tenantIds: readonly TenantId[]): Promise<ReadonlyMap<TenantId, MessageUsage>>

  /** How many messages of a tenant are waiting, where the engine knows that at once and exactly. */
  waiting?(tenantId: TenantId): number

  /** What a tenant has set up, without what operators have set up for it. */
  setup(tenantId: TenantId): Promise<SetupUsage>
}
