/** Deliveries side by side: what was answered last, and when it is tried next. */
import { Link } from 'wouter'
import { TEXTS } from '../../texts.ts'
import { Badge, Button, type Tone } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago, Moment, toSpan } from '../../ui/time.tsx'
import type { Notice, NoticeState } from './endpoint.ts'

const T = TEXTS.webhooks
const { actions: ACTIONS, ...COLUMNS } = T.deliveryTable
const TONES: Readonly<Record<NoticeState, Tone>> = { pending: 'info', told: 'good', given_up: 'bad' }

type Act = ((requestId: string) => void) | undefined
type TableProps = Readonly<{ notices: readonly Notice[]; onReplay: Act }>

export const DeliveryTable = ({ notices, onReplay }: TableProps) => (
  <Table className="deliveries" columns={Object.values(COLUMNS)} actions={onReplay && ACTIONS}>
    {notices.map((notice) => (
      <Row key={notice.request_id} notice={notice} onReplay={onReplay} />
    ))}
  </Table>
)

const Row = ({ notice, onReplay }: Readonly<{ notice: Notice; onReplay: Act }>) => (
  <tr>
    <td className="row-title">
      <Link href={`/messages/${notice.request_id}`} className="mono">
        {notice.request_id}
      </Link>
    </td>
    <td data-label={COLUMNS.state}>
      <span>
        <Badge tone={TONES[notice.state]}>{T.states[notice.state]}</Badge>
      </span>
    </td>
    <td data-label={COLUMNS.answer}>
      <span>{notice.last_error ?? notice.last_status}</span>
    </td>
    <td data-label={COLUMNS.failures} className="nums">
      {notice.failures}
    </td>
    <td data-label={COLUMNS.next}>{notice.due_at !== null && <Due at={notice.due_at} />}</td>
    <td data-label={COLUMNS.tried}>
      {notice.tried_at === null ? <span className="soft">{T.never}</span> : <Ago at={notice.tried_at} />}
    </td>
    {onReplay !== undefined && (
      <RowActions>
        <Button aria-label={T.replayOf(notice.request_id)} onClick={() => onReplay(notice.request_id)}>
          {T.replay}
        </Button>
      </RowActions>
    )}
  </tr>
)

function Due({ at }: Readonly<{ at: string }>) {
  const wait = Date.parse(at) - Date.now()
  return <Moment at={at}>{wait < 1000 ? T.dueNow : T.inSpan(toSpan(wait))}</Moment>
}
