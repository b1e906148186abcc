/** The state of a message: the fold of its facts. Changes apply in the order of `(cycle, rank)`. */

import type { Instant } from '../../lib/time.ts'
import type { OperatorId, ProviderName, RouteId } from '../ids.ts'
import type { Fact, ProviderFact } from './events.ts'
import type { Message } from './message.ts'
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

export function toFirstState(message: Message): MessageState {
  return {
    ...message,
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
}

/** The state after one more fact. Total: a fact that comes too late changes only `updatedAt`. */
export function fold(state: MessageState, fact: Fact, moment: Moment): MessageState {
  const next = { ...state, updatedAt: moment.at }
  switch (fact.kind) {
    case 'MessageCreated':
    case 'MessageValidated':
      return next
    case 'HandoffAttempted':
    case 'HandoffAccepted':
    case 'HandoffUnknown':
    case 'RetryScheduled':
    case 'ValidationFailed':
    case 'HandoffFailed':
    case 'DeadLettered':
    case 'MessageExpired':
      return isLate(state, fact, moment) ? next : afterHandoff(next, fact, moment.at)
    case 'ProviderAccepted':
    case 'ProviderDelivered':
    case 'ProviderBounced':
    case 'ProviderDropped':
    case 'ProviderComplaint':
    case 'ProviderTimedOut':
      return isCurrent(state, fact, moment) ? reported(next, fact, moment.at) : next
    case 'ResendRequested':
      return toNextCycle(next, moment.at)
    case 'MessageErased':
      return erasedBy(next, fact)
  }
}

/** A complete erasure is final. */
function erasedBy(state: MessageState, { kept }: Extract<Fact, { kind: 'MessageErased' }>): MessageState {
  const { recipientKept, ...rest } = state
  const isKept = kept === 'recipient' && (!state.erased || recipientKept === true)
  return { ...rest, erased: true, ...(isKept ? { recipientKept: true } : {}) }
}

type HandoffFact = Extract<
  Fact,
  {
    kind:
      | 'HandoffAttempted'
      | 'HandoffAccepted'
      | 'HandoffUnknown'
      | 'RetryScheduled'
      | 'ValidationFailed'
      | 'HandoffFailed'
      | 'DeadLettered'
      | 'MessageExpired'
  }
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
    case 'HandoffAttempted': {
      const { dueAt, providerMessageId, errorCode, errorDetail, operatorId, noDeliveryReports, ...rest } = state
      return {
        ...rest,
        attempt: state.attempt + 1,
        phase: 'open',
        attemptedAt: at,
        owner: fact.owner,
        provider: fact.provider,
        routeId: fact.routeId,
        ...(fact.operatorId === undefined ? {} : { operatorId: fact.operatorId }),
        handoffState: 'sending',
      }
    }
    case 'HandoffAccepted': {
      const { dueAt, errorCode, errorDetail, ...rest } = state
      return {
        ...rest,
        ...withProviderId(fact.providerMessageId),
        phase: 'closed',
        handoffState: 'handed_off',
        handedOffAt: at,
        dead: false,
        ...(fact.noDeliveryReports === true ? { noDeliveryReports: true } : {}),
      }
    }
    case 'HandoffUnknown':
      return { ...state, phase: 'unknown', dueAt: fact.reconcileAt, ...reason(fact) }
    case 'RetryScheduled': {
      const { excluded: _, avoided: __, waitingSince, ...rest } = state
      return {
        ...rest,
        ...triedProviders(state, fact),
        ...(fact.uncounted === true ? { waitingSince: waitingSince ?? at } : {}),
        attemptsBefore: state.attemptsBefore + (fact.uncounted === true ? 1 : 0),
        phase: 'closed',
        dueAt: fact.dueAt,
        ...reason(fact),
      }
    }
    case 'ValidationFailed':
    case 'HandoffFailed':
      return { ...toFailed(state), ...reason(fact) }
    case 'DeadLettered':
      return { ...toFailed(state), ...reason(fact), ...(fact.outcome && { phase: 'unknown' }), dead: true }
    case 'MessageExpired':
      return { ...toFailed(state), ...EXPIRED, ...(fact.code && { errorCode: fact.code }), expired: true }
  }
}

const withProviderId = (providerMessageId: string | undefined): Partial<MessageState> =>
  providerMessageId === undefined ? {} : { providerMessageId }

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

const toFailed = ({ dueAt, ...rest }: MessageState): MessageState => ({
  ...rest,
  phase: 'closed',
  handoffState: 'failed',
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
  if (providerRank(providerState) <= providerRank(state.providerState)) return state
  return {
    ...(fact.kind === 'ProviderDelivered' ? withoutError(state) : state),
    ...(lacksProviderId(state) ? withProviderId(fact.providerMessageId) : {}),
    providerState,
    ...(fact.kind === 'ProviderAccepted' ? {} : { endedAt: at }),
    ...(fact.code === undefined ? {} : { errorCode: fact.code, errorDetail: fact.detail ?? '' }),
  }
}

/** A person resolved it as sent; the provider's id comes with its first report. */
const lacksProviderId = ({ handoffState, providerMessageId }: MessageState): boolean =>
  handoffState === 'handed_off' && providerMessageId === undefined

/** A delivered message has no error and must not be replayed. */
const withoutError = ({ errorCode, errorDetail, ...rest }: MessageState): MessageState => ({ ...rest, dead: false })

function toNextCycle(state: MessageState, at: Instant): MessageState {
  const {
    excluded,
    avoided,
    waitingSince,
    providerMessageId,
    errorCode,
    errorDetail,
    handedOffAt,
    noDeliveryReports,
    endedAt,
    ...rest
  } = state
  return {
    ...rest,
    cycle: state.cycle + 1,
    attemptsBefore: state.attempt,
    phase: 'none',
    handoffState: 'queued',
    providerState: 'unknown',
    dueAt: at,
    expired: false,
    dead: false,
  }
}

const reason = ({ code, detail }: { code: string; detail: string }): Partial<MessageState> => ({
  errorCode: code,
  errorDetail: detail,
})
