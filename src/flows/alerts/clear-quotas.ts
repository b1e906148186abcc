/**
 * Clears the alerts of quotas of which tenants now use clearly less, also of tenants that send nothing any more. Whoever
 * measures a tenant raises them (workers/quota-watch.ts).
 */

import { CALM_RATIO, type MessageQuota, type QuotasOf, ratioOf } from '../../domain/access/quotas.ts'
import { TENANT_ALERTS } from '../../domain/alerts/alert.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Usage } from '../../ports/usage.ts'
import { type AlertDeps, endAlerts } from './raise.ts'

export type ClearQuotasDeps = AlertDeps & Readonly<{ usage: Pick<Usage, 'measure'>; quotasOf: QuotasOf }>

export async function clearQuotas(deps: ClearQuotasDeps): Promise<void> {
  for (const kind of TENANT_ALERTS) {
    const raised = [...(await deps.raisedAlerts.list(kind)).keys()]
    if (raised.length === 0) continue
    const measured = await deps.usage.measure([...new Set(raised.map((subject) => parse(subject).tenantId))])
    await endAlerts(deps, kind, (subject) => {
      const { tenantId, quota } = parse(subject)
      const { waiting, storedBytes } = measured.get(tenantId) ?? {}
      const used = { waitingMessages: waiting, storedBytes }[quota]
      const isCalm = used !== undefined && ratioOf(used, deps.quotasOf(tenantId)[quota]) < CALM_RATIO
      return isCalm ? 'over' : 'holds'
    })
  }
}

/** As `subjectOf` makes it. */
function parse(subject: string): Readonly<{ tenantId: TenantId; quota: MessageQuota }> {
  const [tenantId, quota] = subject.split(' ')
  return { tenantId: tenantId as TenantId, quota: quota as MessageQuota }
}
