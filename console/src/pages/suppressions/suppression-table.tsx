/** The addresses, each with why, since when and until when. */
import { Link } from 'wouter'
import { TEXTS } from '../../texts.ts'
import { Badge, Button, type Tone } from '../../ui/parts.tsx'
import { Ago, FullTime } from '../../ui/time.tsx'
import type { Reason, Suppression } from './suppression.ts'

const T = TEXTS.suppressions
const { actions: ACTIONS, ...COLUMNS } = T.table
const TONES: Readonly<Record<Reason, Tone>> = {
  hard_bounce: 'bad',
  complaint: 'bad',
  unsubscribe: 'warn',
  manual: 'quiet',
}

type Act = ((suppression: Suppression) => void) | undefined

export const SuppressionTable = ({
  suppressions,
  onRemove,
}: Readonly<{ suppressions: readonly Suppression[]; onRemove: Act }>) => (
  <div className="table-wrap">
    <table className="table stacked">
      <thead>
        <tr>
          {Object.entries(COLUMNS).map(([key, name]) => (
            <th key={key} scope="col">
              {name}
            </th>
          ))}
          {onRemove !== undefined && (
            <th scope="col">
              <span className="visually-hidden">{ACTIONS}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {suppressions.map((suppression) => (
          <Row key={suppression.address} suppression={suppression} onRemove={onRemove} />
        ))}
      </tbody>
    </table>
  </div>
)

function Row({ suppression, onRemove }: Readonly<{ suppression: Suppression; onRemove: Act }>) {
  const { address, reason, note, created_at, expires_at, request_id } = suppression
  return (
    <tr>
      <td className="row-title">{address}</td>
      <td data-label={T.table.reason}>
        <span>
          <Badge tone={TONES[reason]}>{T.reasons[reason]}</Badge>
        </span>
      </td>
      <td data-label={T.table.note}>{note}</td>
      <td data-label={T.table.since}>
        <Ago at={created_at} />
      </td>
      <td data-label={T.table.until}>
        {expires_at === null ? <span className="soft">{T.forGood}</span> : <FullTime at={expires_at} />}
      </td>
      <td data-label={T.table.message}>
        {request_id !== null && (
          <Link href={`/messages/${request_id}`} aria-label={T.toldOf(address)}>
            {T.told}
          </Link>
        )}
      </td>
      {onRemove !== undefined && (
        <td className="row-end">
          <div className="row-actions">
            <Button aria-label={T.remove(address)} onClick={() => onRemove(suppression)}>
              {TEXTS.common.remove}
            </Button>
          </div>
        </td>
      )}
    </tr>
  )
}
