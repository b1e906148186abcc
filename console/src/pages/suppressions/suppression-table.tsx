/** The table of suppressed addresses. */
import { Link } from 'wouter'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { SUPPRESSIONS_TEXTS } from '../../texts/suppressions.ts'
import { Badge, Button, type Tone } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago, FullTime } from '../../ui/time.tsx'
import type { Reason, Suppression } from './suppression.ts'

const T = SUPPRESSIONS_TEXTS
const { actions: ACTIONS, ...COLUMNS } = T.table
const TONES: Readonly<Record<Reason, Tone>> = {
  hard_bounce: 'bad',
  complaint: 'bad',
  unsubscribe: 'warn',
  manual: 'quiet',
}

type Act = ((suppression: Suppression) => void) | undefined
type TableProps = Readonly<{ suppressions: readonly Suppression[]; onRemove: Act }>

export const SuppressionTable = ({ suppressions, onRemove }: TableProps) => (
  <Table columns={Object.values(COLUMNS)} actions={onRemove && ACTIONS}>
    {suppressions.map((suppression) => (
      <Row key={suppression.address} suppression={suppression} onRemove={onRemove} />
    ))}
  </Table>
)

function Row({ suppression, onRemove }: Readonly<{ suppression: Suppression; onRemove: Act }>) {
  const { address, reason, note, created_at, expires_at, message_id } = suppression
  return (
    <tr>
      <td className="row-title">{address}</td>
      <td data-label={COLUMNS.reason}>
        <span>
          <Badge tone={TONES[reason]}>{T.reasons[reason]}</Badge>
        </span>
      </td>
      <td data-label={COLUMNS.note}>{note}</td>
      <td data-label={COLUMNS.since}>
        <Ago at={created_at} />
      </td>
      <td data-label={COLUMNS.until}>
        {expires_at === null ? <span className="soft">{T.forGood}</span> : <FullTime at={expires_at} />}
      </td>
      <td data-label={COLUMNS.message}>
        {message_id !== null && (
          <Link href={`/messages/${message_id}`} aria-label={T.viewOf(address)}>
            {T.view}
          </Link>
        )}
      </td>
      {onRemove !== undefined && (
        <RowActions>
          <Button aria-label={T.remove(address)} onClick={() => onRemove(suppression)}>
            {COMMON_TEXTS.remove}
          </Button>
        </RowActions>
      )}
    </tr>
  )
}
