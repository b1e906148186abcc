/** The transitions of a webhook delivery. A pending delivery has a due time, even if its endpoint is disabled. */
import type { Alert } from '../../src/domain/alerts/alert.ts'
import type { Endpoint } from '../../src/domain/webhooks/endpoint.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { type Instant, instant } from '../../src/lib/time.ts'
import { type Position, START } from '../../src/ports/event-log.ts'
import type {
  ChangedMessage,
  DeliveryResult,
  HeldDelivery,
  WebhookDelivery,
  WebhookDeliveryKey,
} from '../../src/ports/webhook-deliveries.ts'

/** `n` grows with every webhook delivery. */
export type StoredDelivery = Readonly<{ n: number; delivery: WebhookDelivery; heldUntil?: Instant }>

export const dueAt = ({ delivery }: StoredDelivery): number => delivery.dueAt ?? Number.POSITIVE_INFINITY

export function toNew(
  key: WebhookDeliveryKey,
  { position, at }: Pick<ChangedMessage, 'position' | 'at'>,
  since: Instant,
): WebhookDelivery {
  const progress = {
    state: 'pending',
    deliveredThrough: START,
    wantedThrough: position,
    since,
    failures: 0,
    dueAt: at,
  } as const
  return { ...key, ...progress, createdAt: at, updatedAt: at }
}

export function toNewAlert(
  alert: Alert,
  { id: endpointId, tenantId, accountId, createdAt }: Endpoint,
): WebhookDelivery {
  const key = { tenantId, accountId, subjectId: alert.id, endpointId }
  return { ...toNew(key, { position: FIRST, at: alert.at }, createdAt), alert }
}

const FIRST = (START + 1) as Position

/** A pending delivery keeps its due time. */
export function toWanted(stored: StoredDelivery, { position, at }: ChangedMessage): StoredDelivery {
  const { delivery } = stored
  if (position <= delivery.wantedThrough) return stored
  const more = { ...delivery, wantedThrough: position, updatedAt: latest(delivery.updatedAt, at) }
  const isPending = delivery.state === 'pending'
  return { ...stored, delivery: isPending ? more : { ...more, state: 'pending', failures: 0, dueAt: at } }
}

export function toCompleted(stored: StoredDelivery, held: HeldDelivery, result: DeliveryResult): StoredDelivery {
  const { n, delivery } = stored
  const isReplayed = delivery.deliveredThrough < (held.deliveredThrough ?? START)
  if (isReplayed) return stored
  if (result.kind === 'failed')
    return delivery.state === 'pending' ? { n, delivery: toFailed(delivery, result) } : stored
  if (result.through <= delivery.deliveredThrough) return stored
  return omitUndefined({ n, delivery: toDelivered(delivery, result), heldUntil: result.until })
}

function toDelivered(
  delivery: WebhookDelivery,
  { through, status, at }: DeliveryResult & { kind: 'delivered' },
): WebhookDelivery {
  const { dueAt: _, lastError: __, ...stored } = delivery
  const isMore = delivery.wantedThrough > through
  return {
    ...stored,
    deliveredThrough: through,
    wantedThrough: Math.max(delivery.wantedThrough, through) as Position,
    failures: 0,
    ...(isMore ? { state: 'pending', dueAt: at } : { state: 'delivered' }),
    ...(status === undefined ? {} : { lastStatus: status, triedAt: at }),
    updatedAt: latest(delivery.updatedAt, at),
  }
}

function toFailed(
  delivery: WebhookDelivery,
  { status, error, at, again }: DeliveryResult & { kind: 'failed' },
): WebhookDelivery {
  const { dueAt: _, lastStatus: __, ...stored } = delivery
  return {
    ...stored,
    failures: delivery.failures + 1,
    lastError: error,
    triedAt: at,
    ...(status === undefined ? {} : { lastStatus: status }),
    ...(again === undefined ? { state: 'failed' } : { dueAt: again }),
    updatedAt: latest(delivery.updatedAt, at),
  }
}

/** Releases the delivery if it is in flight. */
export const toReplayed = ({ n, delivery }: StoredDelivery, since: Instant, at: Instant): StoredDelivery => ({
  n,
  delivery: { ...delivery, state: 'pending', deliveredThrough: START, since, failures: 0, dueAt: at },
})

export function toResumed(stored: StoredDelivery, at: Instant): StoredDelivery {
  if (stored.delivery.state !== 'pending') return stored
  return { ...stored, delivery: { ...stored.delivery, dueAt: instant(Math.min(dueAt(stored), at)) } }
}

const latest = (one: Instant, other: Instant): Instant => (one < other ? other : one)
