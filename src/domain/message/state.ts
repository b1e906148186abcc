/** The state of a message: the fold of its facts. Changes apply in the order of `(cycle, rank)`. */

import type { Instant } from '../../lib/time.ts'
import type { OperatorId, ProviderName, RouteId } from '../ids.ts'
import type { Fact, ProviderFact } from './events.ts'
import type { Message } from './message.ts'
import { type Draft, type OptionalField, without } from './state-draft.ts'
import { type HandoffState, isHandoffOver, type ProviderState, providerRank } from './states.ts'

/**
 * The phase of the newest attempt: none yet, open (its owner is calling the provider), unknown (the provider may have
 * the message), or closed.
 */
type AttemptPhase = 'none' | 'open' | 'unknown' | 'closed'

export type MessageState = Message &
  Readonly<{
    cycle: number
    /** Counts over the whole life of the message, across cycles. */
    attempt: number
    /** How many attempts do not count in this cycle: those of earlier cycles and uncounted ones. */
    attemptsBefore: number
    phase: AttemptPhase
    /** When the newest attempt began, and its owner. */
    attemptedAt?: Instant
    owner?: string
    handoffState: HandoffState
    providerState: ProviderState
    /** When it is next due: the first send, a retry, or a reconciliation. */
    dueAt?: Instant
    provider?: ProviderName
    /** Providers that were at fault themselves in this cycle and are not tried again. */
    excluded?: readonly ProviderName[]
    /** Providers that failed temporarily: others of the route come first. */
    avoided?: readonly ProviderName[]
    /** Since when it has been waiting for an account to be allowed to send, without using up attempts. */
    waitingSince?: Instant
    routeId?: RouteId
    operatorId?: OperatorId
    providerMessageId?: string
    errorCode?: string
    errorDetail?: string
    handedOffAt?: Instant
    /** The provider sends no delivery reports. */
    noDeliveryReports?: true
    endedAt?: Instant
    expired: boolean
    dead: boolean
    erased: boolean
    /** Only the content was erased: the index still has the masked recipient. */
    recipientKept?: true
    updatedAt: Instant
  }>

/** When a fact happened, and its cycle and attempt. */
export type Moment = Readonly<{ at: Instant; cycle: number; attempt: number }>

export const FIRST_CYCLE = 1

/** Spelt out: adding fields to a copy would move them out of the object, and every later copy would be slower. */
export function toFirstState(message: Message): MessageState {
  const state: Draft = {
    id: message.id,
    tenantId: message.tenantId,
    accountId: message.accountId,
    channel: message.channel,
    kind: message.kind,
    lane: message.lane,
    segments: message.segments,
    encoding: message.encoding,
    createdAt: message.createdAt,
    traceId: message.traceId,
    cycle: FIRST_CYCLE,
    attempt: 0,
    attemptsBefore: 0,
    phase: 'none',
    handoffState: 'queued',
    providerState: 'unknown',
    dueAt: message.createdAt,
    expired: false,
    dead: false,
    erased: false,
    updatedAt: message.createdAt,
  }
  if (message.expiresAt !== undefined) state.expiresAt = message.expiresAt
  if (message.callback !== undefined) state.callback = message.callback
  if (message.contentSize !== undefined) state.contentSize = message.contentSize
  if (message.httpRequestId !== undefined) state.httpRequestId = message.httpRequestId
  if (message.country !== undefined) state.country = message.country
  if (message.unsampled !== undefined) state.unsampled = message.unsampled
  if (message.batchId !== undefined) state.batchId = message.batchId
  if (message.template !== undefined) state.template = message.template
  if (message.receipts !== undefined) state.receipts = message.receipts
  return state
}

/** The state after one more fact. Total: a fact that comes too late changes only `updatedAt`. */
export function fold(state: MessageState, fact: Fact, moment: Moment): MessageState {
  const { at } = moment
  switch (fact.kind) {
    case 'MessageCreated':
    case 'MessageValidated':
      return { ...state, updatedAt: at }
    case 'HandoffAttempted':
    case 'HandoffAccepted':
    case 'HandoffUnknown':
    case 'RetryScheduled':
    case 'ValidationFailed':
    case 'HandoffFailed':
    case 'DeadLettered':
    case 'MessageExpired':
      return isLate(state, fact, moment) ? { ...state, updatedAt: at } : afterHandoff(state, fact, at)
    case 'ProviderAccepted':
    case 'ProviderDelivered':
    case 'ProviderBounced':
    case 'ProviderDropped':
    case 'ProviderComplaint':
    case 'ProviderTimedOut':
      return isCurrent(state, fact, moment) ? reported(state, fact, at) : { ...state, updatedAt: at }
    case 'ResendRequested':
      return toNextCycle(state, at)
    case 'MessageErased':
      return erasedBy(state, fact, at)
  }
}

/** A complete erasure is final. */
function erasedBy(
  state: MessageState,
  { kept }: Extract<Fact, { kind: 'MessageErased' }>,
  updatedAt: Instant,
): MessageState {
  const isKept = kept === 'recipient' && (!state.erased || state.recipientKept === true)
  const next = without(state, ['recipientKept'])
  next.erased = true
  next.updatedAt = updatedAt
  if (isKept) next.recipientKept = true
  return next
}

type HandoffFact = Exclude<
  Fact,
  ProviderFact | { kind: 'MessageCreated' | 'MessageValidated' | 'ResendRequested' | 'MessageErased' }
>

/**
 * A finished handoff keeps its result, and the outcome of an earlier attempt must not close a newer one that is still
 * in progress. That the provider has the message counts whenever we learn it.
 */
const isLate = (state: MessageState, fact: HandoffFact, { cycle, attempt }: Moment): boolean =>
  cycle !== state.cycle ||
  (isHandoffOver(state.handoffState) && !(isUnresolved(state) && RESOLVING.has(fact.kind))) ||
  (attempt < state.attempt && fact.kind !== 'HandoffAccepted')

/** Failed while the outcome was unknown: counts as failed until the outcome is known. */
export const isUnresolved = ({ handoffState, phase }: Pick<MessageState, 'handoffState' | 'phase'>): boolean =>
  handoffState === 'failed' && phase === 'unknown'

/** The facts that can decide an unresolved outcome. */
const RESOLVING: ReadonlySet<Fact['kind']> = new Set(['HandoffAccepted', 'HandoffFailed'])

function afterHandoff(state: MessageState, fact: HandoffFact, at: Instant): MessageState {
  switch (fact.kind) {
    case 'HandoffAttempted':
      return attemptedBy(state, fact, at)
    case 'HandoffAccepted':
      return acceptedBy(state, fact, at)
    case 'HandoffUnknown':
      return { ...state, phase: 'unknown', dueAt: fact.reconcileAt, ...reason(fact), updatedAt: at }
    case 'RetryScheduled':
      return {
        ...without(state, ['excluded', 'avoided', 'waitingSince']),
        ...triedProviders(state, fact),
        ...(fact.uncounted === true ? { waitingSince: state.waitingSince ?? at } : {}),
        attemptsBefore: state.attemptsBefore + (fact.uncounted === true ? 1 : 0),
        phase: 'closed',
        dueAt: fact.dueAt,
        ...reason(fact),
        updatedAt: at,
      }
    case 'ValidationFailed':
    case 'HandoffFailed':
      return { ...toFailed(state, at), ...reason(fact) }
    case 'DeadLettered':
      return { ...toFailed(state, at), ...reason(fact), ...(fact.outcome && { phase: 'unknown' }), dead: true }
    case 'MessageExpired':
      return { ...toFailed(state, at), ...EXPIRED, ...(fact.code && { errorCode: fact.code }), expired: true }
  }
}

function attemptedBy(
  state: MessageState,
  { owner, provider, routeId, operatorId }: Extract<Fact, { kind: 'HandoffAttempted' }>,
  at: Instant,
): MessageState {
  const next = without(state, OF_LAST_ATTEMPT)
  next.attempt = state.attempt + 1
  next.phase = 'open'
  next.attemptedAt = at
  next.owner = owner
  next.provider = provider
  next.routeId = routeId
  if (operatorId !== undefined) next.operatorId = operatorId
  next.handoffState = 'sending'
  next.updatedAt = at
  return next
}

/** What a new attempt does not take over from the one before. */
const OF_LAST_ATTEMPT: readonly OptionalField[] = [
  ...(['dueAt', 'providerMessageId', 'errorCode', 'errorDetail'] as const),
  ...(['operatorId', 'noDeliveryReports'] as const),
]

function acceptedBy(
  state: MessageState,
  { providerMessageId, noDeliveryReports }: Extract<Fact, { kind: 'HandoffAccepted' }>,
  at: Instant,
): MessageState {
  const next = without(state, UNTIL_ACCEPTED)
  next.phase = 'closed'
  next.handoffState = 'handed_off'
  next.handedOffAt = at
  next.dead = false
  next.updatedAt = at
  if (providerMessageId !== undefined) next.providerMessageId = providerMessageId
  if (noDeliveryReports === true) next.noDeliveryReports = true
  return next
}

const ERROR: readonly OptionalField[] = ['errorCode', 'errorDetail']
const UNTIL_ACCEPTED: readonly OptionalField[] = ['dueAt', ...ERROR]

/** A message that waits without using up attempts may use any provider again. */
function triedProviders(
  { excluded = [], avoided = [] }: MessageState,
  { exclude, avoid, uncounted, startsOver }: Extract<Fact, { kind: 'RetryScheduled' }>,
): Pick<MessageState, 'excluded' | 'avoided'> {
  const isWaiting = uncounted === true && exclude === undefined && avoid === undefined
  const allExcluded = isWaiting ? [] : withOne(excluded, exclude)
  const allAvoided = isWaiting || startsOver === true ? [] : withOne(avoided, avoid)
  return {
    ...(allExcluded.length === 0 ? {} : { excluded: allExcluded }),
    ...(allAvoided.length === 0 ? {} : { avoided: allAvoided }),
  }
}

const withOne = (names: readonly ProviderName[], name: ProviderName | undefined): readonly ProviderName[] =>
  name === undefined ? names : [...names, name]

const toFailed = (state: MessageState, updatedAt: Instant): MessageState => ({
  ...without(state, ['dueAt']),
  phase: 'closed',
  handoffState: 'failed',
  updatedAt,
})

const EXPIRED = { errorCode: 'EXPIRED', errorDetail: 'expires_at passed before the message was handed off' }

const PROVIDER_STATE = {
  ProviderAccepted: 'accepted',
  ProviderDelivered: 'delivered',
  ProviderBounced: 'bounced',
  ProviderDropped: 'dropped',
  ProviderComplaint: 'complaint',
  ProviderTimedOut: 'timed_out',
} as const satisfies Record<ProviderFact['kind'], ProviderState>

/** Of an earlier attempt only success counts: the newest attempt may still succeed after its failure. */
const isCurrent = (state: MessageState, fact: ProviderFact, { cycle, attempt }: Moment): boolean =>
  cycle === state.cycle && (attempt === state.attempt || fact.kind === 'ProviderDelivered')

function reported(state: MessageState, fact: ProviderFact, at: Instant): MessageState {
  const providerState = PROVIDER_STATE[fact.kind]
  const isDelivered = fact.kind === 'ProviderDelivered'
  if (providerRank(providerState) <= providerRank(state.providerState)) return { ...state, updatedAt: at }
  // A delivered message has no error and must not be replayed.
  const next: Draft = isDelivered ? without(state, ERROR) : { ...state }
  if (isDelivered) next.dead = false
  next.providerState = providerState
  next.updatedAt = at
  if (fact.providerMessageId !== undefined && lacksProviderId(state)) next.providerMessageId = fact.providerMessageId
  if (fact.kind !== 'ProviderAccepted') next.endedAt = at
  if (fact.code !== undefined) {
    next.errorCode = fact.code
    next.errorDetail = fact.detail ?? ''
  }
  return next
}

/** A person resolved it as sent; the provider's id comes with its first report. */
const lacksProviderId = ({ handoffState, providerMessageId }: MessageState): boolean =>
  handoffState === 'handed_off' && providerMessageId === undefined

const toNextCycle = (state: MessageState, at: Instant): MessageState => ({
  ...without(state, OF_LAST_CYCLE),
  cycle: state.cycle + 1,
  attemptsBefore: state.attempt,
  phase: 'none',
  handoffState: 'queued',
  providerState: 'unknown',
  dueAt: at,
  expired: false,
  dead: false,
  updatedAt: at,
})

/** What a new cycle does not take over from the one before. */
const OF_LAST_CYCLE: readonly OptionalField[] = [
  ...(['excluded', 'avoided', 'waitingSince', 'providerMessageId', 'errorCode', 'errorDetail'] as const),
  ...(['handedOffAt', 'noDeliveryReports', 'endedAt'] as const),
]

const reason = ({ code, detail }: { code: string; detail: string }): Partial<MessageState> => ({
  errorCode: code,
  errorDetail: detail,
})
