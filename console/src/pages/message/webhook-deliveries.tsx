/** The webhook deliveries of a message: to its endpoints, and to its `callback_url`. */
import { TEXTS } from '../../texts.ts'
import { Items } from '../../ui/items.tsx'
import { Badge, Card } from '../../ui/parts.tsx'
import { Ago } from '../../ui/time.tsx'
import { DELIVERY_TONES, displayStateOf } from '../webhooks/endpoint.ts'
import { useWebhookDeliveries } from './data.ts'
import { Due } from './due.tsx'

const T = TEXTS.message.webhookDeliveries

type WebhookDelivery = NonNullable<ReturnType<typeof useWebhookDeliveries>['data']>['items'][number]

export function WebhookDeliveries({ id }: Readonly<{ id: string }>) {
  const { data, error } = useWebhookDeliveries(id)
  return (
    <Card title={T.title}>
      <Items of={data?.items} error={error} empty={<p className="soft">{T.none}</p>}>
        {(deliveries) => (
          <ul className="webhook-deliveries">
            {deliveries.map((delivery) => (
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
    <Badge tone={DELIVERY_TONES[displayStateOf(delivery)]}>{TEXTS.webhooks.states[displayStateOf(delivery)]}</Badge>
    {delivery.failures > 0 && <span className="nums">{T.failures(delivery.failures)}</span>}
    <span className="soft">
      {delivery.last_status ?? ''} {delivery.last_error ?? ''}{' '}
      {delivery.tried_at !== null && (
        <>
          (<Ago at={delivery.tried_at} />)
        </>
      )}{' '}
      {delivery.due_at !== null && <Due at={delivery.due_at} format={TEXTS.message.notes.nextTryIn} />}
    </span>
  </li>
)
