/** What tenants use, in memory, for tests: counts everything anew. */
import { isOfOneUser } from '../../src/domain/limits/limits.ts'
import { isHandoffOver } from '../../src/domain/message/states.ts'
import type { Engines } from '../../src/ports/engines.ts'
import type { Usage } from '../../src/ports/usage.ts'
import type { MemoryEndpoints } from './endpoints.ts'
import type { MemoryEventLog } from './event-log.ts'

type MemoryStores = Pick<Engines, 'rules' | 'templates' | 'routes' | 'recipients'> &
  Readonly<{ log: MemoryEventLog; endpoints: MemoryEndpoints }>

const EVERYTHING = Number.MAX_SAFE_INTEGER

export function memoryUsage(stores: MemoryStores): Usage {
  const { log, rules, templates, routes, endpoints, recipients } = stores
  return {
    async measure(tenantIds) {
      const measured = new Map(tenantIds.map((tenantId) => [tenantId, { waiting: 0, storedBytes: 0 }]))
      for (const { state, bytes } of log.stored()) {
        const usage = measured.get(state.tenantId)
        if (usage === undefined) continue
        usage.storedBytes += bytes
        usage.waiting += isHandoffOver(state.handoffState) ? 0 : 1
      }
      return measured
    },

    async setup(tenantId) {
      const all = { tenantId, limit: EVERYTHING }
      const [{ limits }, found, entries] = [
        await rules.list(all),
        await templates.list(all),
        await recipients.search(all),
      ]
      return {
        limits: limits.filter((limit) => limit.setBy === 'tenant' && !isOfOneUser(limit)).length,
        templates: new Set(found.templates.map(({ name }) => name)).size,
        routes: (routes.of(tenantId) ?? []).filter(({ own }) => own !== undefined).length,
        endpoints: endpoints.now.all().filter((endpoint) => endpoint.tenantId === tenantId).length,
        recipients: entries.recipients.length,
      }
    },
  }
}
