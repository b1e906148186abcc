/** Deliveries side by side: what was answered last, and when it is tried next. */
import { Link } from 'wouter'
import { TEXTS } from '../../texts.ts'
import { Badge, Button, type Tone } from '../../ui/parts.tsx'
import { Ago, toFull, toSpan } from '../../ui/time.tsx'
import type { Notice, NoticeState } from './endpoint.ts'

const T = TEXTS.webhooks
const { actions: ACTIONS, ...COLUMNS } = T.deliveryTable
const TONES: Readonly<Record<NoticeState, Tone>> = { pending: 'info', told: 'good', given_up: 'bad' }

type Act = ((requestId: string) => void) | undefined
type TableProps = Readonly<{ notices: readonly Notice[]; onReplay: Act }>

export const DeliveryTable = ({ notices, onReplay }: TableProps) => (
  <div className="table-wrap">
    <table className="table stacked deliveries">
      <thead>
        <tr>
          {Object.entries(COLUMNS).map(([key, name]) => (
            <th key={key} scope="col">
              {name}
            </th>
          ))}
          {onReplay !== undefined && (
            <th scope="col">
              <span className="visually-hidden">{ACTIONS}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {notices.map((notice) => (
          <Row key={notice.request_id} notice={notice} onReplay={onReplay} />
        ))}
      </tbody>
    </table>
  </div>
)

const Row = ({ notice, onReplay }: Readonly<{ notice: Notice; onReplay: Act }>) => (
  <tr>
    <td className="row-title">
      <Link href={`/messages/${notice.request_id}`} className="mono">
        {notice.request_id}
      </Link>
    </td>
    <td data-label={T.deliveryTable.state}>
      <span>
        <Badge tone={TONES[notice.state]}>{T.states[notice.state]}</Badge>
      </span>
    </td>
    <td data-label={T.deliveryTable.answer}>
      <Answer notice={notice} />
    </td>
    <td data-label={T.deliveryTable.failures} className="nums">
      {notice.failures}
    </td>
    <td data-label={T.deliveryTable.next}>{notice.due_at !== null && <Due at={notice.due_at} />}</td>
    <td data-label={T.deliveryTable.tried}>
      {notice.tried_at === null ? <span className="soft">{T.never}</span> : <Ago at={notice.tried_at} />}
    </td>
    {onReplay !== undefined && (
      <td className="row-end">
        <div className="row-actions">
          <Button aria-label={T.replayOf(notice.request_id)} onClick={() => onReplay(notice.request_id)}>
            {T.replay}
          </Button>
        </div>
      </td>
    )}
  </tr>
)

const Answer = ({ notice: { last_status, last_error } }: Readonly<{ notice: Notice }>) => (
  <span>{last_error ?? last_status}</span>
)

function Due({ at }: Readonly<{ at: string }>) {
  const wait = Date.parse(at) - Date.now()
  return (
    <time dateTime={at} title={toFull(at)} className="nums">
      {wait < 1000 ? T.dueNow : T.inSpan(toSpan(wait))}
    </time>
  )
}
