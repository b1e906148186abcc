/** Reads entries of the audit log from table rows, and finds what they are looked up by. */
import { type AuditEntry, type AuditId, idOfActor, lowestAuditIdAt } from '../../domain/access/audit.ts'
import type { AuditQuery } from '../../ports/audit-log.ts'
import type { Row } from './rows.ts'

export const toAuditEntry = (row: Row): AuditEntry => JSON.parse(String(row['body'])) as AuditEntry

/** An index takes no longer texts, and PostgreSQL no NUL: whatever the subject of a token, the entry can be stored. */
const LONGEST_KEY = 256
const toKey = (id: string): string => id.replaceAll('\0', '').slice(0, LONGEST_KEY)

/** The ids that an entry is found by. */
export function toAuditKeys({ actor, target }: AuditEntry): Readonly<{ actor: string | undefined; target: string }> {
  const id = idOfActor(actor)
  return { actor: id === undefined ? undefined : toKey(id), target: toKey(target.id) }
}

const LOWEST = '00000000-0000-0000-0000-000000000000'
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff' as AuditId

/** The first is inclusive, the second exclusive: ids are in the order of time. */
export function toAuditBounds({ from, to, before = HIGHEST }: AuditQuery): Readonly<{ from: string; below: string }> {
  const until = to === undefined ? HIGHEST : lowestAuditIdAt(to)
  return { from: from === undefined ? LOWEST : lowestAuditIdAt(from), below: before < until ? before : until }
}
