/**
 * Tells an endpoint what it has not been told of a message, one event after the other. Each is settled on its
 * own before the next, so a crash repeats one event at most; and what fails holds up what comes after it.
 */

import type { MessageEvent } from '../../domain/message/events.ts'
import type { Content } from '../../domain/message/message.ts'
import {
  CALLBACK,
  CALLBACK_SECRET_VERSION,
  type DisabledReason,
  type Endpoint,
} from '../../domain/webhooks/endpoint.ts'
import { toPayload, toPending, toWebhookId } from '../../domain/webhooks/payload.ts'
import {
  LONGEST_FAILING,
  nextTry,
  toFailureClass,
  toVerdict,
  type WebhookResponse,
  type WebhookVerdict,
} from '../../domain/webhooks/retry-schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, type Millis, millis } from '../../lib/time.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import type { EventLog, Position } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { HeldDelivery, TakenDelivery, WebhookDeliveries, WebhookDelivery } from '../../ports/webhook-deliveries.ts'
import type { SigningEndpoint, WebhookSigner } from '../../ports/webhook-signer.ts'
import type { WebhookTransport } from '../../ports/webhook-transport.ts'
import type { Dice } from '../../ports/world.ts'

/** What is heard of it: never an address or what was told. */
export type WebhookObserver = Readonly<{
  onDelivered?: (endpoint: EndpointKey) => void
  /** `reason` is the class of the answer, or why there was none. */
  onFailed?: (endpoint: EndpointKey, reason: string) => void
  onDisabled?: (endpoint: EndpointKey, reason: DisabledReason) => void
}>

export type DeliverDeps = Readonly<{
  log: Pick<EventLog, 'read' | 'load'>
  webhookDeliveries: Pick<WebhookDeliveries, 'complete' | 'release'>
  endpoints: Pick<Endpoints, 'judge'>
  transport: WebhookTransport
  signer: Pick<WebhookSigner, 'sign'>
  clock: Clock
  dice: Dice
  /** How long an endpoint may take to answer. */
  timeout: Millis
  /** For how long a webhook delivery is kept in hand for its next event: longer than that. */
  lease: Millis
  observer: WebhookObserver
}>

type Addressee = SigningEndpoint & Pick<Endpoint, 'url' | 'events' | 'failingSince'>

/** Ends after the event in hand when `stop` does. Where a store is away, or the message is erased, the webhook delivery is handed back. */
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
  const recorded = await deps.log.read(delivery.messageId)
  const content = await loadContent(deps, delivery)
  const newest = recorded.at(-1)?.position ?? delivery.wanted
  const addressee = toAddressee(taken, content)
  const untold = addressee === undefined ? [] : toPending(recorded, { ...delivery, events: addressee.events })
  if (addressee === undefined || untold.length === 0) return skip(deps, delivery, newest)

  let held = toHeld(delivery)
  for (const [n, { position, event }] of untold.entries()) {
    // Who takes it next tells it without what was erased meanwhile.
    const isErased = n > 0 && content !== undefined && (await loadContent(deps, delivery)) === undefined
    if (isErased) return deps.webhookDeliveries.release(held, deps.clock())

    const carried = await post(deps, addressee, event, content)
    const verdict = toVerdict(carried)
    // What was settled before has wiped out earlier failures.
    const failures = n === 0 ? delivery.failures : 0
    if (verdict.kind !== 'told') return fail(deps, { addressee, held, failures }, carried, verdict)

    const isLast = n === untold.length - 1
    const goesOn = !isLast && !stop.aborted
    const at = deps.clock()
    const told = { kind: 'told', through: isLast ? newest : position, status: verdict.status, at } as const
    await deps.webhookDeliveries.complete(held, goesOn ? { ...told, until: later(at, deps.lease) } : told)
    deps.observer.onDelivered?.(keyOf(addressee))
    if (n === 0 && addressee.failingSince !== undefined) await deps.endpoints.judge(keyOf(addressee), { kind: 'well' })
    if (!goesOn) return
    held = { ...held, told: position }
  }
}

const loadContent = async ({ log }: DeliverDeps, { messageId }: WebhookDelivery): Promise<Content | undefined> =>
  (await log.load(messageId))?.content

/** None where the endpoint was removed, or the address went with the content of the message. */
function toAddressee({ delivery, endpoint }: TakenDelivery, content: Content | undefined): Addressee | undefined {
  if (endpoint !== undefined) return endpoint
  const { tenantId, accountId, endpointId: id } = delivery
  const url = content?.callbackUrl
  if (id !== CALLBACK || url === undefined) return undefined
  return { tenantId, accountId, id, url, events: [], secretVersion: CALLBACK_SECRET_VERSION }
}

const skip = ({ webhookDeliveries, clock }: DeliverDeps, delivery: WebhookDelivery, through: Position): Promise<void> =>
  webhookDeliveries.complete(toHeld(delivery), { kind: 'told', through, at: clock() })

function post(
  { transport, signer, clock, timeout }: DeliverDeps,
  addressee: Addressee,
  event: MessageEvent,
  content: Content | undefined,
): Promise<WebhookResponse> {
  const body = JSON.stringify(toPayload(event, content))
  const headers = signer.sign(addressee, toWebhookId(event), clock(), body)
  return transport.post({ url: addressee.url, headers, body }, AbortSignal.timeout(timeout))
}

type Unheard = Readonly<{ addressee: Addressee; held: HeldDelivery; failures: number }>

async function fail(
  { webhookDeliveries, endpoints, clock, dice, observer }: DeliverDeps,
  { addressee, held, failures: before }: Unheard,
  carried: WebhookResponse,
  verdict: Exclude<WebhookVerdict, { kind: 'told' }>,
): Promise<void> {
  const at = clock()
  const key = keyOf(addressee)
  const isGone = verdict.kind === 'gone'
  const retryAfter = isGone ? millis(0) : verdict.retryAfter
  // An endpoint that is gone may be enabled again, and then has its webhook deliveries; a callback is never heard of again.
  const again = isGone && key.id === CALLBACK ? undefined : nextTry({ failures: before + 1, at, retryAfter }, dice())
  const { status, error } = verdict
  const answer = status === undefined ? { error } : { status, error }
  await webhookDeliveries.complete(held, { kind: 'failed', ...answer, at, ...(again === undefined ? {} : { again }) })
  observer.onFailed?.(key, toFailureClass(carried))

  if (key.id === CALLBACK) return
  const longestFailing = later(at, millis(-LONGEST_FAILING))
  const disabled = await endpoints.judge(key, isGone ? { kind: 'gone' } : { kind: 'failing', at, longestFailing })
  if (disabled !== undefined) observer.onDisabled?.(key, disabled)
}

const keyOf = ({ tenantId, accountId, id }: EndpointKey): EndpointKey => ({ tenantId, accountId, id })

const toHeld = ({ tenantId, accountId, messageId, endpointId, told }: WebhookDelivery): Required<HeldDelivery> => ({
  tenantId,
  accountId,
  messageId,
  endpointId,
  told,
})
