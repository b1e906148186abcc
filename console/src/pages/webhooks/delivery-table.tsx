/** Deliveries side by side: what was answered last, and when it is tried next. */
import { useState } from 'react'
import { Link } from 'wouter'
import { TEXTS } from '../../texts.ts'
import { Badge, Button } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago, Moment, toSpan } from '../../ui/time.tsx'
import { NOTICE_TONES, type Notice, standingOf } from './endpoint.ts'

const T = TEXTS.webhooks
const { actions: ACTIONS, ...COLUMNS } = T.deliveryTable

type Act = ((requestId: string) => void) | undefined
type TableProps = Readonly<{ notices: readonly Notice[]; onReplay: Act }>

/** What was nothing to tell is counted, and shown to whoever asks. */
export function DeliveryTable({ notices, onReplay }: TableProps) {
  const [isAll, setAll] = useState(false)
  const toTell = notices.filter((notice) => standingOf(notice) !== 'nothing')
  const without = notices.length - toTell.length
  return (
    <>
      {(isAll || toTell.length > 0) && <Rows notices={isAll ? notices : toTell} onReplay={onReplay} />}
      {without > 0 && (
        <p className="row soft">
          {T.nothingToTell(without)}
          <Button aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? T.hideNothing : T.showNothing}
          </Button>
        </p>
      )}
    </>
  )
}

const Rows = ({ notices, onReplay }: TableProps) => (
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
        <Badge tone={NOTICE_TONES[standingOf(notice)]}>{T.states[standingOf(notice)]}</Badge>
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
