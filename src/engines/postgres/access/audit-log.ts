/** The audit log of the cluster profile. Tenants add and read their own entries; those of the operator are the system's. */
import type { AuditLog, AuditQuery } from '../../../ports/audit-log.ts'
import { toAuditBounds, toAuditEntry, toAuditKeys } from '../../shared/audit-rows.ts'
import type { Database } from '../database.ts'

const ADD = `
  insert into pombo.audit_log (id, tenant, action, actor, target, body) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing returning id
`

export const postgresAuditLog = (db: Database): AuditLog => ({
  async append(entry) {
    const { id, tenantId, action } = entry
    const { actor, target } = toAuditKeys(entry)
    const values = [id, tenantId, action, actor, target, JSON.stringify(entry)]
    const added = tenantId === undefined ? await db.asSystem(ADD, values) : await db.asTenant(tenantId, ADD, values)
    return added.length === 1
  },

  async list(query) {
    const { text, values } = toSelect(query)
    const { tenantId } = query
    const rows = tenantId === undefined ? await db.asSystem(text, values) : await db.asTenant(tenantId, text, values)
    return rows.map(toAuditEntry)
  },
})

const EQUALS = { tenantId: 'tenant', action: 'action', actor: 'actor', target: 'target' } as const
const FILTERS = Object.keys(EQUALS) as readonly (keyof typeof EQUALS)[]

function toSelect(query: AuditQuery) {
  const { from, below } = toAuditBounds(query)
  const given = FILTERS.filter((name) => query[name] !== undefined)
  const equal = given.map((name, nth) => `and ${EQUALS[name]} = $${nth + 4}`)
  const text = `
    select body from pombo.audit_log where id >= $1 and id < $2 ${equal.join(' ')} order by id desc limit $3
  `
  return { text, values: [from, below, query.limit, ...given.map((name) => query[name])] }
}
