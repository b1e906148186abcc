/** Who is told of what becomes of a message: its endpoints, and its own callback. */
import { TEXTS } from '../../texts.ts'
import { Items } from '../../ui/items.tsx'
import { Badge, Card } from '../../ui/parts.tsx'
import { Ago } from '../../ui/time.tsx'
import { DELIVERY_TONES, standingOf } from '../webhooks/endpoint.ts'
import { useWebhookDeliveries } from './data.ts'
import { Due } from './due.tsx'

const T = TEXTS.message.webhookDeliveries

type WebhookDelivery = NonNullable<ReturnType<typeof useWebhookDeliveries>['data']>['items'][number]

export function WebhookDeliveries({ id }: Readonly<{ id: string }>) {
  const { data, error } = useWebhookDeliveries(id)
  return (
    <Card title={T.title}>
      <Items of={data?.items} error={error} empty={<p className="soft">{T.none}</p>}>
        {(webhookDeliveries) => (
          <ul className="webhook-deliveries">
            {webhookDeliveries.map((delivery) => (
              <WebhookDeliveryRow key={delivery.endpoint_id} delivery={delivery} />
            ))}
          </ul>
        )}
      </Items>
    </Card>
  )
}

const WebhookDeliveryRow = ({ delivery }: Readonly<{ delivery: WebhookDelivery }>) => (
  <li>
    <strong>{delivery.endpoint_id === 'callback' ? T.callback : delivery.endpoint_id}</strong>
    <Badge tone={DELIVERY_TONES[standingOf(delivery)]}>{T.states[standingOf(delivery)]}</Badge>
    {delivery.failures > 0 && <span className="nums">{T.failures(delivery.failures)}</span>}
    <span className="soft">
      {delivery.last_status ?? ''} {delivery.last_error ?? ''}{' '}
      {delivery.tried_at !== null && (
        <>
          (<Ago at={delivery.tried_at} /> {TEXTS.message.age})
        </>
      )}{' '}
      {delivery.due_at !== null && <Due at={delivery.due_at} toWords={TEXTS.message.notes.toldIn} />}
    </span>
  </li>
)
