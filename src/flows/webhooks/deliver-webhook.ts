/**
 * Delivers a message's pending events to an endpoint, one after the other, or an alert. Each is completed before the next,
 * so a crash repeats at most one event, and a failure delays the later ones.
 */

import type { Alert } from '../../domain/alerts/alert.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Content } from '../../domain/message/message.ts'
import { toTraceparent } from '../../domain/message/trace.ts'
import { CALLBACK_EVENTS } from '../../domain/twilio/status-callback.ts'
import type { WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import {
  CALLBACK,
  CALLBACK_SECRET_VERSION,
  type DisabledReason,
  type Endpoint,
  subscribesTo,
} from '../../domain/webhooks/endpoint.ts'
import { toAlertPayload, toAlertWebhookId, toPayload, toPending, toWebhookId } from '../../domain/webhooks/payload.ts'
import {
  LONGEST_FAILING,
  nextTry,
  toFailureClass,
  toVerdict,
  type WebhookResponse,
  type WebhookVerdict,
} from '../../domain/webhooks/retry-schedule.ts'
import { FairTurns } from '../../lib/fair-turns.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, type Millis, millis } from '../../lib/time.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import type { EventLog, Position, Recorded } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { HeldDelivery, TakenDelivery, WebhookDeliveries, WebhookDelivery } from '../../ports/webhook-deliveries.ts'
import type { Dice, Ids } from '../../ports/world.ts'
import { type PostDeps, type Posted, type PostTarget, postWebhook } from './post-webhook.ts'
import { toTwilioForm } from './twilio-form.ts'

/** Observes deliveries. Never gets a URL or a payload. */
export type WebhookObserver = Readonly<{
  onDelivered?: (endpoint: EndpointKey) => void
  /** `reason` is the class of the failure. */
  onFailed?: (endpoint: EndpointKey, reason: string) => void
  onDisabled?: (endpoint: EndpointKey, reason: DisabledReason) => void
}>

export type DeliverDeps = PostDeps &
  Readonly<{
    log: Pick<EventLog, 'read' | 'load'>
    webhookDeliveries: Pick<WebhookDeliveries, 'complete' | 'release'>
    endpoints: Pick<Endpoints, 'judge'>
    dice: Dice
    /** How long the delivery stays leased for its next event; longer than `timeout`. */
    lease: Millis
    observer: WebhookObserver
    ids: Pick<Ids, 'spanId'>
    /** Called once the attempt has a result. */
    recordAttempt: (attempt: WebhookAttempt) => void
    /** Where traces are exported. */
    onPosted?: (posted: PostedWebhook) => void
  }>

/** One post of an event, with the span that the request named. */
export type PostedWebhook = Readonly<{
  endpoint: EndpointKey
  event: MessageEvent
  spanId: string
  start: Instant
  end: Instant
  response: WebhookResponse
}>

type Target = PostTarget & Pick<Endpoint, 'events' | 'failingSince'> & Pick<Content, 'twilio'>

/**
 * Ends after the current event when `stop` aborts. Releases the delivery when a store is unavailable or the message is
 * erased.
 */
export async function deliverWebhook(deps: DeliverDeps, taken: TakenDelivery, stop: AbortSignal): Promise<void> {
  try {
    await deliverPending(deps, taken, stop)
  } catch (error) {
    if (error instanceof Unavailable) await deps.webhookDeliveries.release(toHeld(taken.delivery), deps.clock())
    throw error
  }
}

async function deliverPending(deps: DeliverDeps, taken: TakenDelivery, stop: AbortSignal): Promise<void> {
  const { delivery } = taken
  const content = await loadContent(deps, delivery)
  const target = toTarget(taken, content)
  const { pending, newest, isAll } = await readPending(deps, delivery, target)
  if (target === undefined || pending.length === 0) return skip(deps, delivery, newest)

  let held = toHeld(delivery)
  for (const [n, next] of pending.entries()) {
    const { position } = next
    // The next worker delivers it without the erased content.
    const isErased = n > 0 && content !== undefined && (await loadContent(deps, delivery)) === undefined
    if (isErased) return deps.webhookDeliveries.release(held, deps.clock())

    const posted =
      'alert' in next ? await postAlert(deps, target, next.alert) : await post(deps, target, next.event, content)
    const verdict = toVerdict(posted.response)
    // The first completed event has reset the failures.
    const failures = n === 0 ? delivery.failures : 0
    if (verdict.kind !== 'delivered') return fail(deps, { target, held, failures, posted }, verdict)

    record(deps, delivery, posted)
    const isLast = n === pending.length - 1
    const continues = !isLast && !stop.aborted
    const at = deps.clock()
    const through = isLast && isAll ? newest : position
    const delivered = { kind: 'delivered', through, status: verdict.status, at } as const
    await deps.webhookDeliveries.complete(held, continues ? { ...delivered, until: later(at, deps.lease) } : delivered)
    deps.observer.onDelivered?.(keyOf(target))
    if (n === 0 && target.failingSince !== undefined) await deps.endpoints.judge(keyOf(target), { kind: 'well' })
    if (!continues) return
    held = { ...held, deliveredThrough: position }
  }
}

type PendingEvent = Recorded | Readonly<{ position: Position; alert: Alert }>
type Pending = Readonly<{ pending: readonly PendingEvent[]; newest: Position; isAll: boolean }>

/** A message that was resent often has thousands of events: few such timelines are in memory, and little of each stays. */
const READS = new FairTurns<TenantId>({ atOnce: 16, atOncePerKey: 4, waiting: Number.POSITIVE_INFINITY })
const MOST_PENDING = 100

async function readPending({ log }: DeliverDeps, delivery: WebhookDelivery, target?: Target): Promise<Pending> {
  const { alert, wantedThrough } = delivery
  if (alert !== undefined) {
    const isWanted = target !== undefined && alert.at >= delivery.since && subscribesTo(target, alert.kind)
    return { pending: isWanted ? [{ position: wantedThrough, alert }] : [], newest: wantedThrough, isAll: true }
  }
  const turn = await READS.take(delivery.tenantId)
  try {
    const recorded = await log.read(messageOf(delivery))
    const newest = recorded.at(-1)?.position ?? delivery.wantedThrough
    const pending = target === undefined ? [] : toPending(recorded, { ...delivery, events: target.events })
    return { pending: pending.slice(0, MOST_PENDING), newest, isAll: pending.length <= MOST_PENDING }
  } finally {
    if (turn.kind === 'taken') turn.release()
  }
}

/** Of a delivery that has no alert. */
const messageOf = ({ subjectId }: WebhookDelivery): MessageId => subjectId as MessageId

const loadContent = async ({ log }: DeliverDeps, delivery: WebhookDelivery): Promise<Content | undefined> =>
  delivery.alert === undefined ? (await log.load(messageOf(delivery)))?.content : undefined

/** Undefined if the endpoint was removed, or the URL was erased with the content. */
function toTarget({ delivery, endpoint }: TakenDelivery, content: Content | undefined): Target | undefined {
  if (endpoint !== undefined) return endpoint
  const { tenantId, accountId, endpointId: id } = delivery
  const url = content?.callbackUrl
  if (id !== CALLBACK || url === undefined) return undefined
  const target = { tenantId, accountId, id, url, secretVersion: CALLBACK_SECRET_VERSION }
  const twilio = content?.twilio
  return twilio === undefined ? { ...target, events: [] } : { ...target, events: CALLBACK_EVENTS, twilio }
}

const skip = ({ webhookDeliveries, clock }: DeliverDeps, delivery: WebhookDelivery, through: Position): Promise<void> =>
  webhookDeliveries.complete(toHeld(delivery), { kind: 'delivered', through, at: clock() })

async function post(deps: DeliverDeps, target: Target, event: MessageEvent, content?: Content): Promise<Posted> {
  const spanId = deps.ids.spanId()
  const headers = { traceparent: toTraceparent(event.state, spanId) }
  const posted = await postWebhook(deps, target, {
    id: toWebhookId(event),
    payload: toPayload(event, content),
    headers,
    form: content && toTwilioForm(target, event, content),
  })
  const { start, end, response } = posted
  deps.onPosted?.({ endpoint: keyOf(target), event, spanId, start, end, response })
  return posted
}

const postAlert = (deps: DeliverDeps, target: Target, alert: Alert): Promise<Posted> =>
  postWebhook(deps, target, { id: toAlertWebhookId(alert), payload: toAlertPayload(alert) })

const record = (
  { recordAttempt }: DeliverDeps,
  { subjectId }: Pick<WebhookDelivery, 'subjectId'>,
  { noted }: Posted,
  nextAt?: Instant,
): void => recordAttempt(omitUndefined({ ...noted, subjectId, nextAt }))

type FailedAttempt = Readonly<{ target: Target; held: HeldDelivery; failures: number; posted: Posted }>

async function fail(
  deps: DeliverDeps,
  { target, held, failures: before, posted }: FailedAttempt,
  verdict: Exclude<WebhookVerdict, { kind: 'delivered' }>,
): Promise<void> {
  const { webhookDeliveries, endpoints, clock, dice, observer } = deps
  const at = clock()
  const key = keyOf(target)
  const isGone = verdict.kind === 'gone'
  const retryAfter = isGone ? millis(0) : verdict.retryAfter
  // A 410 endpoint may be enabled again and then gets its deliveries; a callback never does.
  const again = isGone && key.id === CALLBACK ? undefined : nextTry({ failures: before + 1, at, retryAfter }, dice())
  record(deps, held, posted, again)
  const { status, error } = verdict
  await webhookDeliveries.complete(held, omitUndefined({ kind: 'failed', status, error, at, again } as const))
  observer.onFailed?.(key, toFailureClass(posted.response))

  if (key.id === CALLBACK) return
  const longestFailing = later(at, millis(-LONGEST_FAILING))
  const disabled = await endpoints.judge(key, isGone ? { kind: 'gone' } : { kind: 'failing', at, longestFailing })
  if (disabled !== undefined) observer.onDisabled?.(key, disabled)
}

const keyOf = ({ tenantId, accountId, id }: EndpointKey): EndpointKey => ({ tenantId, accountId, id })

const toHeld = ({
  tenantId,
  accountId,
  subjectId,
  endpointId,
  deliveredThrough,
}: WebhookDelivery): Required<HeldDelivery> => ({
  tenantId,
  accountId,
  subjectId,
  endpointId,
  deliveredThrough,
})
