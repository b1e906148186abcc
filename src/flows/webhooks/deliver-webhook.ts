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
import { noticeId, toPayload, toTell } from '../../domain/webhooks/payload.ts'
import {
  type Carried,
  LONGEST_FAILING,
  type NoticeVerdict,
  nextTry,
  toFailureClass,
  toVerdict,
} from '../../domain/webhooks/retry-schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, type Millis, millis } from '../../lib/time.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import type { EventLog, Position } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { HeldNotice, Notice, Notices, TakenNotice } from '../../ports/webhook-deliveries.ts'
import type { NoticeSigner, SigningEndpoint } from '../../ports/webhook-signer.ts'
import type { Courier } from '../../ports/webhook-transport.ts'
import type { Dice } from '../../ports/world.ts'

/** What is heard of it: never an address or what was told. */
export type TellObserver = Readonly<{
  onTold?: (endpoint: EndpointKey) => void
  /** `reason` is the class of the answer, or why there was none. */
  onFailed?: (endpoint: EndpointKey, reason: string) => void
  onDisabled?: (endpoint: EndpointKey, reason: DisabledReason) => void
}>

export type TellDeps = Readonly<{
  log: Pick<EventLog, 'read' | 'load'>
  notices: Pick<Notices, 'settle' | 'release'>
  endpoints: Pick<Endpoints, 'judge'>
  courier: Courier
  signer: Pick<NoticeSigner, 'sign'>
  clock: Clock
  dice: Dice
  /** How long an endpoint may take to answer. */
  timeout: Millis
  /** For how long a notice is kept in hand for its next event: longer than that. */
  lease: Millis
  observer: TellObserver
}>

type Addressee = SigningEndpoint & Pick<Endpoint, 'url' | 'events' | 'failingSince'>

/** Ends after the event in hand when `stop` does. Where a store is away, or the message is erased, the notice is handed back. */
export async function tell(deps: TellDeps, taken: TakenNotice, stop: AbortSignal): Promise<void> {
  try {
    await tellUntold(deps, taken, stop)
  } catch (error) {
    if (error instanceof Unavailable) await deps.notices.release(toHeld(taken.notice), deps.clock())
    throw error
  }
}

async function tellUntold(deps: TellDeps, taken: TakenNotice, stop: AbortSignal): Promise<void> {
  const { notice } = taken
  const recorded = await deps.log.read(notice.messageId)
  const content = await loadContent(deps, notice)
  const newest = recorded.at(-1)?.position ?? notice.wanted
  const addressee = toAddressee(taken, content)
  const untold = addressee === undefined ? [] : toTell(recorded, { ...notice, events: addressee.events })
  if (addressee === undefined || untold.length === 0) return passOver(deps, notice, newest)

  let held = toHeld(notice)
  for (const [n, { position, event }] of untold.entries()) {
    // Who takes it next tells it without what was erased meanwhile.
    const isErased = n > 0 && content !== undefined && (await loadContent(deps, notice)) === undefined
    if (isErased) return deps.notices.release(held, deps.clock())

    const carried = await carry(deps, addressee, event, content)
    const verdict = toVerdict(carried)
    // What was settled before has wiped out earlier failures.
    const failures = n === 0 ? notice.failures : 0
    if (verdict.kind !== 'told') return fail(deps, { addressee, held, failures }, carried, verdict)

    const isLast = n === untold.length - 1
    const goesOn = !isLast && !stop.aborted
    const at = deps.clock()
    const told = { kind: 'told', through: isLast ? newest : position, status: verdict.status, at } as const
    await deps.notices.settle(held, goesOn ? { ...told, until: later(at, deps.lease) } : told)
    deps.observer.onTold?.(keyOf(addressee))
    if (n === 0 && addressee.failingSince !== undefined) await deps.endpoints.judge(keyOf(addressee), { kind: 'well' })
    if (!goesOn) return
    held = { ...held, told: position }
  }
}

const loadContent = async ({ log }: TellDeps, { messageId }: Notice): Promise<Content | undefined> =>
  (await log.load(messageId))?.content

/** None where the endpoint was removed, or the address went with the content of the message. */
function toAddressee({ notice, endpoint }: TakenNotice, content: Content | undefined): Addressee | undefined {
  if (endpoint !== undefined) return endpoint
  const { tenantId, accountId, endpointId: id } = notice
  const url = content?.callbackUrl
  if (id !== CALLBACK || url === undefined) return undefined
  return { tenantId, accountId, id, url, events: [], secretVersion: CALLBACK_SECRET_VERSION }
}

const passOver = ({ notices, clock }: TellDeps, notice: Notice, through: Position): Promise<void> =>
  notices.settle(toHeld(notice), { kind: 'told', through, at: clock() })

function carry(
  { courier, signer, clock, timeout }: TellDeps,
  addressee: Addressee,
  event: MessageEvent,
  content: Content | undefined,
): Promise<Carried> {
  const body = JSON.stringify(toPayload(event, content))
  const headers = signer.sign(addressee, noticeId(event), clock(), body)
  return courier.carry({ url: addressee.url, headers, body }, AbortSignal.timeout(timeout))
}

type Unheard = Readonly<{ addressee: Addressee; held: HeldNotice; failures: number }>

async function fail(
  { notices, endpoints, clock, dice, observer }: TellDeps,
  { addressee, held, failures: before }: Unheard,
  carried: Carried,
  verdict: Exclude<NoticeVerdict, { kind: 'told' }>,
): Promise<void> {
  const at = clock()
  const key = keyOf(addressee)
  const isGone = verdict.kind === 'gone'
  const retryAfter = isGone ? millis(0) : verdict.retryAfter
  // An endpoint that is gone may be enabled again, and then has its notices; a callback is never heard of again.
  const again = isGone && key.id === CALLBACK ? undefined : nextTry({ failures: before + 1, at, retryAfter }, dice())
  const { status, error } = verdict
  const answer = status === undefined ? { error } : { status, error }
  await notices.settle(held, { kind: 'failed', ...answer, at, ...(again === undefined ? {} : { again }) })
  observer.onFailed?.(key, toFailureClass(carried))

  if (key.id === CALLBACK) return
  const longestFailing = later(at, millis(-LONGEST_FAILING))
  const disabled = await endpoints.judge(key, isGone ? { kind: 'gone' } : { kind: 'failing', at, longestFailing })
  if (disabled !== undefined) observer.onDisabled?.(key, disabled)
}

const keyOf = ({ tenantId, accountId, id }: EndpointKey): EndpointKey => ({ tenantId, accountId, id })

const toHeld = ({ tenantId, accountId, messageId, endpointId, told }: Notice): Required<HeldNotice> => ({
  tenantId,
  accountId,
  messageId,
  endpointId,
  told,
})
