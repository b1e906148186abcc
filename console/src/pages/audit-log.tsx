/** The audit log: who changed what, and who read what messages say. */
import '../styles/audit-log.css'
import { api, unwrap } from '../api/client.ts'
import { hasScope, useSession } from '../api/session.ts'
import { AUDIT_LOG_TEXTS } from '../texts/audit-log.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { Listing, useListing } from '../ui/listing.tsx'
import { Empty, PageHead } from '../ui/parts.tsx'
import { useParams } from '../ui/query-string.ts'
import { AUDIT_LOG, FILTERS } from './audit-log/entry.ts'
import { EntryTable } from './audit-log/entry-table.tsx'
import { ExportButtons } from './audit-log/export-buttons.tsx'
import { FilterBar } from './audit-log/filter-bar.tsx'

const T = AUDIT_LOG_TEXTS

export function AuditLog() {
  const session = useSession()
  return hasScope(session, 'admin') ? (
    <AuditLogList hasTenants={hasScope(session, 'operator')} />
  ) : (
    <PageHead title={PAGES_TEXTS.auditLog} about={T.notAllowed} />
  )
}

function AuditLogList({ hasTenants }: Readonly<{ hasTenants: boolean }>) {
  const [filters, change] = useParams(FILTERS)
  const list = useListing([...AUDIT_LOG, filters], (from) =>
    unwrap(api.GET('/v1/audit', { params: { query: { ...filters, ...from } } })),
  )
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <PageHead title={PAGES_TEXTS.auditLog} about={T.about} actions={<ExportButtons filters={filters} />} />
      <FilterBar filters={filters} hasTenants={hasTenants} onChange={change} />
      <Listing of={list} empty={<Empty>{isFiltered ? T.noneFound : T.none}</Empty>}>
        {(entries) => <EntryTable entries={entries} hasTenants={hasTenants} onNarrow={change} />}
      </Listing>
    </>
  )
}
