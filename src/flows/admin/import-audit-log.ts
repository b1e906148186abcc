/** Imports the audit log of a store into another. Entries keep their ids, so it can be repeated. */
import type { AuditId } from '../../domain/access/audit.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { AuditLog } from '../../ports/audit-log.ts'
import { type ImportCounts, importPages } from './import-pages.ts'

export type ImportAuditLogDeps = Readonly<{
  source: Readonly<{ auditLog: AuditLog }>
  target: Readonly<{ auditLog: AuditLog }>
}>

export const importAuditLog = ({ source, target }: ImportAuditLogDeps): Promise<ImportCounts> =>
  importPages(
    async ({ limit, cursor }) => {
      const items = await source.auditLog.list(omitUndefined({ limit, before: cursor as AuditId | undefined }))
      return { items, nextCursor: items.length < limit ? undefined : items.at(-1)?.id }
    },
    async (entry) => ((await target.auditLog.append(entry)) ? 'added' : 'there'),
  )
