/** The table of recipients. */
import { COMMON_TEXTS } from '../../texts/common.ts'
import { RECIPIENTS_TEXTS } from '../../texts/recipients.ts'
import { Button } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { displayName, FIELDS, type Recipient } from './recipient.ts'

const T = RECIPIENTS_TEXTS
const [, ...REST] = FIELDS
const COLUMNS = [...FIELDS.map((field) => T.fields[field]), T.since]

type Act = (recipient: Recipient) => void
type TableProps = Readonly<{ recipients: readonly Recipient[]; mayWrite: boolean; onChange: Act; onRemove: Act }>

export const RecipientTable = ({ recipients, mayWrite, onChange, onRemove }: TableProps) => (
  <Table columns={COLUMNS} actions={mayWrite ? T.actions : undefined}>
    {recipients.map((recipient) => (
      <tr key={recipient.id}>
        <td className="row-title">{recipient.name ?? <span className="soft">{COMMON_TEXTS.none}</span>}</td>
        {REST.map((field) => (
          <td key={field} data-label={T.fields[field]} className="nums">
            {recipient[field]}
          </td>
        ))}
        <td data-label={T.since}>
          <Ago at={recipient.created_at} />
        </td>
        {mayWrite && <Actions recipient={recipient} onChange={onChange} onRemove={onRemove} />}
      </tr>
    ))}
  </Table>
)

type ActionsProps = Readonly<{ recipient: Recipient; onChange: Act; onRemove: Act }>

const Actions = ({ recipient, onChange, onRemove }: ActionsProps) => (
  <RowActions>
    <Button aria-label={T.changeWho(displayName(recipient))} onClick={() => onChange(recipient)}>
      {COMMON_TEXTS.edit}
    </Button>
    <Button aria-label={T.removeWho(displayName(recipient))} onClick={() => onRemove(recipient)}>
      {COMMON_TEXTS.remove}
    </Button>
  </RowActions>
)
