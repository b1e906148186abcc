/** The webhooks of a message: to its endpoints, and to its `callback_url`. */
import { RotateCw } from 'lucide-react'
import type { MessageDetails } from '../../api/client.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { WEBHOOKS_TEXTS } from '../../texts/webhooks.ts'
import { Badge, Button, Card, Failure } from '../../ui/parts.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Ago } from '../../ui/time.tsx'
import { DELIVERY_TONES, displayStateOf } from '../webhooks/endpoint.ts'
import { useDeliverAgain, useWebhookDeliveries } from './data.ts'
import { Due } from './due.tsx'

const T = MESSAGE_TEXTS.webhookDeliveries

type WebhookDelivery = NonNullable<ReturnType<typeof useWebhookDeliveries>['data']>['items'][number]

export function WebhookDeliveries({ details }: Readonly<{ details: MessageDetails }>) {
  const { data, error } = useWebhookDeliveries(details.id)
  return (
    <Card title={T.title}>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Skeleton height={SKELETON_HEIGHT} />}
      {data?.items.length === 0 && <p className="soft">{T.none}</p>}
      {data !== undefined && data.items.length > 0 && <Rows details={details} deliveries={data.items} />}
    </Card>
  )
}

const SKELETON_HEIGHT = 44

type RowsProps = Readonly<{ details: MessageDetails; deliveries: readonly WebhookDelivery[] }>

function Rows({ details, deliveries }: RowsProps) {
  const again = useDeliverAgain(details.id)
  const mayDeliver = hasScope(useSession(), 'admin')
  return (
    <ul className="webhook-deliveries">
      {deliveries.map((delivery) => (
        <WebhookDeliveryRow
          key={delivery.endpoint_id}
          delivery={delivery}
          url={delivery.endpoint_url ?? delivery.endpoint_id}
          onAgain={mayDeliver ? () => again.mutate([delivery.endpoint_id]) : undefined}
        />
      ))}
    </ul>
  )
}

type RowProps = Readonly<{ delivery: WebhookDelivery; url: string; onAgain: (() => void) | undefined }>

function WebhookDeliveryRow({ delivery, url, onAgain }: RowProps) {
  const state = displayStateOf(delivery)
  return (
    <li>
      <div className="webhook-delivery">
        <span className="webhook-url" title={delivery.endpoint_id}>
          {url}
        </span>
        <span className="row soft">
          <Badge tone={DELIVERY_TONES[state]}>{WEBHOOKS_TEXTS.states[state]}</Badge>
          {state !== 'skipped' && <LastTry delivery={delivery} />}
        </span>
      </div>
      {onAgain !== undefined && (
        <Button aria-label={T.againTo(url)} onClick={onAgain}>
          <RotateCw aria-hidden="true" /> {T.again}
        </Button>
      )}
    </li>
  )
}

/** The last response, how often it has failed, and when it is tried again. */
const LastTry = ({ delivery: { failures, last_status, last_error, tried_at, due_at } }: Pick<RowProps, 'delivery'>) => (
  <span>
    {[
      last_status === null ? undefined : T.answered(last_status),
      last_error === null || last_error === `HTTP ${last_status}` ? undefined : last_error,
      failures === 0 ? undefined : T.failures(failures),
    ]
      .filter((part) => part !== undefined)
      .join(' · ')}{' '}
    {tried_at === null ? T.notTried : <Ago at={tried_at} />}
    {due_at !== null && <Due at={due_at} format={MESSAGE_TEXTS.notes.nextTryIn} />}
  </span>
)
