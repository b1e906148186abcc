/** Deliveries side by side: what was answered last, and when it is tried next. */
import { useState } from 'react'
import { Link } from 'wouter'
import { TEXTS } from '../../texts.ts'
import { Badge, Button } from '../../ui/parts.tsx'
import { RowActions, Table } from '../../ui/table.tsx'
import { Ago, Moment, toSpan } from '../../ui/time.tsx'
import { DELIVERY_TONES, standingOf, type WebhookDelivery } from './endpoint.ts'

const T = TEXTS.webhooks
const { actions: ACTIONS, ...COLUMNS } = T.deliveryTable

type Act = ((messageId: string) => void) | undefined
type TableProps = Readonly<{ webhookDeliveries: readonly WebhookDelivery[]; onReplay: Act }>

/** What was nothing to tell is counted, and shown to whoever asks. */
export function DeliveryTable({ webhookDeliveries, onReplay }: TableProps) {
  const [isAll, setAll] = useState(false)
  const toTell = webhookDeliveries.filter((delivery) => standingOf(delivery) !== 'nothing')
  const without = webhookDeliveries.length - toTell.length
  return (
    <>
      {(isAll || toTell.length > 0) && (
        <Rows webhookDeliveries={isAll ? webhookDeliveries : toTell} onReplay={onReplay} />
      )}
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

const Rows = ({ webhookDeliveries, onReplay }: TableProps) => (
  <Table className="deliveries" columns={Object.values(COLUMNS)} actions={onReplay && ACTIONS}>
    {webhookDeliveries.map((delivery) => (
      <Row key={delivery.message_id} delivery={delivery} onReplay={onReplay} />
    ))}
  </Table>
)

const Row = ({ delivery, onReplay }: Readonly<{ delivery: WebhookDelivery; onReplay: Act }>) => (
  <tr>
    <td className="row-title">
      <Link href={`/messages/${delivery.message_id}`} className="mono">
        {delivery.message_id}
      </Link>
    </td>
    <td data-label={COLUMNS.state}>
      <span>
        <Badge tone={DELIVERY_TONES[standingOf(delivery)]}>{T.states[standingOf(delivery)]}</Badge>
      </span>
    </td>
    <td data-label={COLUMNS.answer}>
      <span>{delivery.last_error ?? delivery.last_status}</span>
    </td>
    <td data-label={COLUMNS.failures} className="nums">
      {delivery.failures}
    </td>
    <td data-label={COLUMNS.next}>{delivery.due_at !== null && <Due at={delivery.due_at} />}</td>
    <td data-label={COLUMNS.tried}>
      {delivery.tried_at === null ? <span className="soft">{T.never}</span> : <Ago at={delivery.tried_at} />}
    </td>
    {onReplay !== undefined && (
      <RowActions>
        <Button aria-label={T.replayOf(delivery.message_id)} onClick={() => onReplay(delivery.message_id)}>
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
