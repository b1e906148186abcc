/** The audit log in memory, for tests. */
import type { AuditEntry } from '../../src/domain/access/audit.ts'
import { toAuditBounds, toAuditKeys } from '../../src/engines/shared/audit-rows.ts'
import type { AuditLog, AuditQuery } from '../../src/ports/audit-log.ts'

export function memoryAuditLog(): AuditLog {
  const entries = new Map<string, AuditEntry>()
  return {
    async append(entry) {
      if (entries.has(entry.id)) return false
      entries.set(entry.id, structuredClone(entry))
      return true
    },

    list: async (query) =>
      [...entries.values()]
        .filter((entry) => isWanted(entry, query))
        .toSorted((one, other) => (one.id < other.id ? 1 : -1))
        .slice(0, query.limit),
  }
}

function isWanted(entry: AuditEntry, query: AuditQuery): boolean {
  const { from, below } = toAuditBounds(query)
  const { tenantId, action, actor, target } = query
  const keys = toAuditKeys(entry)
  const isGiven = <Value>(wanted: Value | undefined, value: Value | undefined) =>
    wanted === undefined || wanted === value
  return (
    entry.id >= from &&
    entry.id < below &&
    isGiven(tenantId, entry.tenantId) &&
    isGiven(action, entry.action) &&
    isGiven(actor, keys.actor) &&
    isGiven(target, keys.target)
  )
}
