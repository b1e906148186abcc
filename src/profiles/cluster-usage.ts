/** What tenants use in the cluster profile: the broker knows what is waiting, PostgreSQL the rest. */
import type { TenantId } from '../domain/ids.ts'
import type { PostgresUsage } from '../engines/postgres/access/usage.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { Unavailable } from '../ports/unavailable.ts'
import type { MessageUsage, Usage } from '../ports/usage.ts'

export type ClusterUsageDeps = Readonly<{
  /** How many messages of a tenant are waiting in the queues. */
  waiting: (tenantId: TenantId) => Promise<number>
  postgres: Pick<PostgresUsage, 'setup' | 'storedBytes'>
}>

/** Tenants that the broker is asked about at once. */
const AT_ONCE = 32

export const clusterUsage = ({ waiting, postgres }: ClusterUsageDeps): Usage => ({
  setup: postgres.setup,

  async measure(tenantIds) {
    const measured = new Map<TenantId, MessageUsage>()
    if (tenantIds.length === 0) return measured
    const storing = postgres.storedBytes(tenantIds).catch(exceptOutages)
    const queued = await countAll(tenantIds, waiting)
    const stored = await storing
    for (const tenantId of tenantIds) {
      const storedBytes = stored && (stored.get(tenantId) ?? 0)
      measured.set(tenantId, omitUndefined({ waiting: queued.get(tenantId), storedBytes }))
    }
    return measured
  },
})

async function countAll(tenantIds: readonly TenantId[], count: ClusterUsageDeps['waiting']) {
  const counts = new Map<TenantId, number>()
  for (let first = 0; first < tenantIds.length; first += AT_ONCE) {
    const page = tenantIds.slice(first, first + AT_ONCE)
    await Promise.all(
      page.map(async (tenantId) => {
        const found = await count(tenantId).catch(exceptOutages)
        if (found !== undefined) counts.set(tenantId, found)
      }),
    )
  }
  return counts
}

/** What cannot be read now is missing. */
function exceptOutages(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error
  return undefined
}
