/** The table of webhook deliveries. */
import { useState } from 'react'
import { Link } from 'wouter'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { Badge, Button } from '../../ui/parts.tsx'
import { toShortId } from '../../ui/recipient.ts'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago, Moment, toSpan } from '../../ui/time.tsx'
import { DELIVERY_TONES, displayStateOf, type Subject, subjectIdOf, type WebhookDelivery } from './endpoint.ts'

const T = WEBHOOKS_TEXTS
const { actions: ACTIONS, ...COLUMNS } = T.deliveryTable

type Act = (subject: Subject) => void
type Acts = Readonly<{ onAttempts: Act; onReplay: Act | undefined }>
type TableProps = Acts & Readonly<{ deliveries: readonly WebhookDelivery[] }>

/** Deliveries without a matching event are hidden behind a count. */
export function DeliveryTable({ deliveries, ...acts }: TableProps) {
  const [isAll, setAll] = useState(false)
  const relevant = deliveries.filter((delivery) => displayStateOf(delivery) !== 'skipped')
  const skipped = deliveries.length - relevant.length
  return (
    <>
      {(isAll || relevant.length > 0) && <Rows deliveries={isAll ? deliveries : relevant} {...acts} />}
      {skipped > 0 && (
        <p className="row soft">
          {T.skipped(skipped)}
          <Button aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? T.hideSkipped : T.showSkipped}
          </Button>
        </p>
      )}
    </>
  )
}

const Rows = ({ deliveries, ...acts }: TableProps) => (
  <Table className="deliveries" columns={Object.values(COLUMNS)} actions={ACTIONS}>
    {deliveries.map((delivery) => (
      <Row key={subjectIdOf(delivery)} delivery={delivery} {...acts} />
    ))}
  </Table>
)

const Row = ({ delivery, onAttempts, onReplay }: Acts & Readonly<{ delivery: WebhookDelivery }>) => (
  <tr>
    <td className="row-title">
      {delivery.message_id === null ? (
        <code>{delivery.event_type}</code>
      ) : (
        <Link href={`/messages/${delivery.message_id}`} className="mono" title={delivery.message_id}>
          {toShortId(delivery.message_id)}
        </Link>
      )}
    </td>
    <td data-label={COLUMNS.state}>
      <span>
        <Badge tone={DELIVERY_TONES[displayStateOf(delivery)]}>{T.states[displayStateOf(delivery)]}</Badge>
      </span>
    </td>
    <td data-label={COLUMNS.answer}>
      <span>{delivery.last_error ?? (delivery.last_status !== null && T.attempts.status(delivery.last_status))}</span>
    </td>
    <td data-label={COLUMNS.failures} className="nums">
      {delivery.failures}
    </td>
    <td data-label={COLUMNS.next}>{delivery.due_at !== null && <Due at={delivery.due_at} />}</td>
    <td data-label={COLUMNS.tried}>
      {delivery.tried_at === null ? <span className="soft">{T.never}</span> : <Ago at={delivery.tried_at} />}
    </td>
    <RowActions>
      <Button aria-label={T.attemptsOf(subjectIdOf(delivery))} onClick={() => onAttempts(delivery)}>
        {T.attempts.title}
      </Button>
      {onReplay !== undefined && (
        <Button aria-label={T.replayOf(subjectIdOf(delivery))} onClick={() => onReplay(delivery)}>
          {T.replay}
        </Button>
      )}
    </RowActions>
  </tr>
)

function Due({ at }: Readonly<{ at: string }>) {
  const wait = Date.parse(at) - Date.now()
  return <Moment at={at}>{wait < 1000 ? T.dueNow : T.inSpan(toSpan(wait))}</Moment>
}
