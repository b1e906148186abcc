/** The table of entries. Each row opens to show what changed. */
import { useId, useState } from 'react'
import { AUDIT_LOG_TEXTS } from '../../texts/audit-log.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { Button } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { FullTime } from '../../ui/time.tsx'
import { type AuditEntry, actorKind, actorName } from './entry.ts'
import { EntryDetails, type Narrow } from './entry-details.tsx'

const T = AUDIT_LOG_TEXTS
const { tenant: TENANT, ...COLUMNS } = T.columns

type TableProps = Readonly<{ entries: readonly AuditEntry[]; hasTenants: boolean; onNarrow: Narrow }>

export function EntryTable({ entries, hasTenants, onNarrow }: TableProps) {
  const columns = [...Object.values(COLUMNS), ...(hasTenants ? [TENANT] : [])]
  return (
    <Table className="audit" columns={columns} actions={T.actions}>
      {entries.map((entry) => (
        <EntryRows
          key={entry.id}
          entry={entry}
          columns={columns.length + 1}
          hasTenants={hasTenants}
          onNarrow={onNarrow}
        />
      ))}
    </Table>
  )
}

type RowsProps = Readonly<{ entry: AuditEntry; columns: number; hasTenants: boolean; onNarrow: Narrow }>

function EntryRows({ entry, columns, hasTenants, onNarrow }: RowsProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const { action, target } = entry
  return (
    <>
      <tr>
        <td data-label={COLUMNS.at}>
          <FullTime at={entry.at} />
        </td>
        <td data-label={COLUMNS.actor}>
          <div>
            {actorName(entry)}
            {actorName(entry) !== actorKind(entry) && <span className="soft audit-kind">{actorKind(entry)}</span>}
          </div>
        </td>
        <td data-label={COLUMNS.action}>
          <code>{action}</code>
        </td>
        <td data-label={COLUMNS.target}>{target.id}</td>
        <td data-label={COLUMNS.address} className="nums audit-address">
          {entry.address}
        </td>
        {hasTenants && (
          <td data-label={TENANT} className="audit-tenant">
            {entry.tenant_id ?? <span className="soft">{COMMON_TEXTS.none}</span>}
          </td>
        )}
        <RowActions>
          <Button
            aria-label={T.detailsOf(action, target.id)}
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            {T.details}
          </Button>
        </RowActions>
      </tr>
      {isOpen && (
        <tr id={id} className="audit-more">
          <td colSpan={columns}>
            <EntryDetails entry={entry} onNarrow={onNarrow} />
          </td>
        </tr>
      )}
    </>
  )
}
