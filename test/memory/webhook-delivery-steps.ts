/** What becomes of a webhook delivery: wanted, told, failed, replayed. One that is pending has a time, whatever its endpoint is. */
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
export type Kept = Readonly<{ n: number; delivery: WebhookDelivery; heldUntil?: Instant }>

export const dueAt = ({ delivery }: Kept): number => delivery.dueAt ?? Number.POSITIVE_INFINITY

export function toNew(
  { messageId, tenantId, accountId, position, at }: ChangedMessage,
  endpointId: WebhookDeliveryKey['endpointId'],
  since: Instant,
): WebhookDelivery {
  const key = { tenantId, accountId, messageId, endpointId }
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

/** One that waits, for whatever reason, goes on waiting. */
export function toWanted(kept: Kept, { position, at }: ChangedMessage): Kept {
  const { delivery } = kept
  if (position <= delivery.wantedThrough) return kept
  const more = { ...delivery, wantedThrough: position, updatedAt: latest(delivery.updatedAt, at) }
  const isPending = delivery.state === 'pending'
  return { ...kept, delivery: isPending ? more : { ...more, state: 'pending', failures: 0, dueAt: at } }
}

export function toCompleted(kept: Kept, held: HeldDelivery, result: DeliveryResult): Kept {
  const { n, delivery } = kept
  const isReplayed = delivery.deliveredThrough < (held.deliveredThrough ?? START)
  if (isReplayed) return kept
  if (result.kind === 'failed') return delivery.state === 'pending' ? { n, delivery: toFailed(delivery, result) } : kept
  if (result.through <= delivery.deliveredThrough) return kept
  return {
    n,
    delivery: toDelivered(delivery, result),
    ...(result.until === undefined ? {} : { heldUntil: result.until }),
  }
}

function toDelivered(
  delivery: WebhookDelivery,
  { through, status, at }: DeliveryResult & { kind: 'delivered' },
): WebhookDelivery {
  const { dueAt: _, lastError: __, ...kept } = delivery
  const isMore = delivery.wantedThrough > through
  return {
    ...kept,
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
  const { dueAt: _, lastStatus: __, ...kept } = delivery
  return {
    ...kept,
    failures: delivery.failures + 1,
    lastError: error,
    triedAt: at,
    ...(status === undefined ? {} : { lastStatus: status }),
    ...(again === undefined ? { state: 'failed' } : { dueAt: again }),
    updatedAt: latest(delivery.updatedAt, at),
  }
}

/** Whoever had it in hand has it no more. */
export const toReplayed = ({ n, delivery }: Kept, since: Instant, at: Instant): Kept => ({
  n,
  delivery: { ...delivery, state: 'pending', deliveredThrough: START, since, failures: 0, dueAt: at },
})

export function toResumed(kept: Kept, at: Instant): Kept {
  if (kept.delivery.state !== 'pending') return kept
  return { ...kept, delivery: { ...kept.delivery, dueAt: instant(Math.min(dueAt(kept), at)) } }
}

const latest = (one: Instant, other: Instant): Instant => (one < other ? other : one)
