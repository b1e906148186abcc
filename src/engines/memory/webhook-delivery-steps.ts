/** What becomes of a webhook delivery: wanted, told, failed, replayed. One that is pending has a time, whatever its endpoint is. */
import { type Instant, instant } from '../../lib/time.ts'
import { type Position, START } from '../../ports/event-log.ts'
import type {
  Changed,
  DeliveryResult,
  HeldDelivery,
  WebhookDelivery,
  WebhookDeliveryKey,
} from '../../ports/webhook-deliveries.ts'

/** `n` grows with every webhook delivery. */
export type Kept = Readonly<{ n: number; delivery: WebhookDelivery; heldUntil?: Instant }>

export const dueAt = ({ delivery }: Kept): number => delivery.dueAt ?? Number.POSITIVE_INFINITY

export function toNew(
  { messageId, tenantId, accountId, position, at }: Changed,
  endpointId: WebhookDeliveryKey['endpointId'],
  since: Instant,
): WebhookDelivery {
  const key = { tenantId, accountId, messageId, endpointId }
  const standing = { state: 'pending', told: START, wanted: position, since, failures: 0, dueAt: at } as const
  return { ...key, ...standing, createdAt: at, updatedAt: at }
}

/** One that waits, for whatever reason, goes on waiting. */
export function toWanted(kept: Kept, { position, at }: Changed): Kept {
  const { delivery } = kept
  if (position <= delivery.wanted) return kept
  const more = { ...delivery, wanted: position, updatedAt: latest(delivery.updatedAt, at) }
  const isPending = delivery.state === 'pending'
  return { ...kept, delivery: isPending ? more : { ...more, state: 'pending', failures: 0, dueAt: at } }
}

export function toCompleted(kept: Kept, held: HeldDelivery, told: DeliveryResult): Kept {
  const { n, delivery } = kept
  const isReplayed = delivery.told < (held.told ?? START)
  if (isReplayed) return kept
  if (told.kind === 'failed') return delivery.state === 'pending' ? { n, delivery: toFailed(delivery, told) } : kept
  if (told.through <= delivery.told) return kept
  return { n, delivery: toTold(delivery, told), ...(told.until === undefined ? {} : { heldUntil: told.until }) }
}

function toTold(
  delivery: WebhookDelivery,
  { through, status, at }: DeliveryResult & { kind: 'told' },
): WebhookDelivery {
  const { dueAt: _, lastError: __, ...kept } = delivery
  const isMore = delivery.wanted > through
  return {
    ...kept,
    told: through,
    wanted: Math.max(delivery.wanted, through) as Position,
    failures: 0,
    ...(isMore ? { state: 'pending', dueAt: at } : { state: 'told' }),
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
    ...(again === undefined ? { state: 'given_up' } : { dueAt: again }),
    updatedAt: latest(delivery.updatedAt, at),
  }
}

/** Whoever had it in hand has it no more. */
export const toReplayed = ({ n, delivery }: Kept, since: Instant, at: Instant): Kept => ({
  n,
  delivery: { ...delivery, state: 'pending', told: START, since, failures: 0, dueAt: at },
})

export function toResumed(kept: Kept, at: Instant): Kept {
  if (kept.delivery.state !== 'pending') return kept
  return { ...kept, delivery: { ...kept.delivery, dueAt: instant(Math.min(dueAt(kept), at)) } }
}

const latest = (one: Instant, other: Instant): Instant => (one < other ? other : one)
