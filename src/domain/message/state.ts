/** The state of a message: the fold of its facts. `(cycle, rank)` decides what may change what. */

import type { Instant } from '../../lib/time.ts'
import type { OperatorId, ProviderName, RouteId } from '../ids.ts'
import type { Fact, ProviderFact } from './events.ts'
import type { Message } from './message.ts'
import { type HandoffState, isHandoffOver, type ProviderState, providerRank } from './states.ts'

/**
 * Where the newest attempt stands: never begun, open (its owner is calling the provider), with an unknown outcome
 * (nobody knows whether the provider has it), or closed.
 */
export type AttemptPhase = 'none' | 'open' | 'unknown' | 'closed'

export type MessageState = Message &
  Readonly<{
    cycle: number
    /** Grows over the whole life of the message, across cycles. */
    attempt: number
    /** How many attempts do not count in this cycle: those of earlier ones, and those that were spared. */
    attemptsBefore: number
    phase: AttemptPhase
    /** When the newest attempt began, and who made it. */
    attemptedAt?: Instant
    owner?: string
    handoffState: HandoffState
    providerState: ProviderState
    /** When work on it is next due: a first send, a retry, or a reconciliation. */
    dueAt?: Instant
    provider?: ProviderName
    /** Providers that blamed themselves in this cycle and are not asked again. */
    excluded?: readonly ProviderName[]
    /** Providers that failed for now: others of the route come before them. */
    avoided?: readonly ProviderName[]
    /** Since when it waits for an account to be allowed to send, without using up attempts. */
    waitingSince?: Instant
    routeId?: RouteId
    operatorId?: OperatorId
    providerMessageId?: string
    errorCode?: string
    errorDetail?: string
    handedOffAt?: Instant
    /** Whoever carries it does not tell of its delivery. */
    noDeliveryReports?: true
    endedAt?: Instant
    expired: boolean
    dead: boolean
    erased: boolean
    /** Only the content was erased: the index still knows the masked recipient. */
    recipientKept?: true
    updatedAt: Instant
  }>

/** When a fact happened, and to which attempt of which cycle it belongs. */
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

/** The state after one more fact. Total: a fact that comes too late leaves all but `updatedAt` as it was. */
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
      return isLate(state, fact, moment) ? next : handedOn(next, fact, moment.at)
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

/** What was erased whole stays so. */
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
 * A hand-off that is over stays as it ended, and the outcome of an earlier attempt must not close a
 * newer one that its owner is still making; only that the provider has the message counts whenever we learn it.
 */
const isLate = (state: MessageState, fact: HandoffFact, { cycle, attempt }: Moment): boolean =>
  cycle !== state.cycle ||
  (isHandoffOver(state.handoffState) && !(isUnresolved(state) && RESOLVING.has(fact.kind))) ||
  (attempt < state.attempt && fact.kind !== 'HandoffAccepted')

/** Given up on while nobody knew the outcome: it counts as failed until somebody knows better. */
export const isUnresolved = ({ handoffState, phase }: Pick<MessageState, 'handoffState' | 'phase'>): boolean =>
  handoffState === 'failed' && phase === 'unknown'

/** What may follow when an unresolved outcome becomes known. */
const RESOLVING: ReadonlySet<Fact['kind']> = new Set(['HandoffAccepted', 'HandoffFailed'])

function handedOn(state: MessageState, fact: HandoffFact, at: Instant): MessageState {
  switch (fact.kind) {
    case 'HandoffAttempted': {
      const { dueAt, providerMessageId, errorCode, errorDetail, operatorId, noDeliveryReports: quiet, ...rest } = state
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
        ...named(fact.providerMessageId),
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
        ...toRemembered(state, fact),
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

const named = (providerMessageId: string | undefined): Partial<MessageState> =>
  providerMessageId === undefined ? {} : { providerMessageId }

/** Who waits without having lost an attempt waits for any of them: all are asked again. */
function toRemembered(
  { excluded = [], avoided = [] }: MessageState,
  { exclude, avoid, uncounted, startsOver }: Extract<Fact, { kind: 'RetryScheduled' }>,
): Pick<MessageState, 'excluded' | 'avoided'> {
  const isWaiting = uncounted === true && exclude === undefined && avoid === undefined
  const passed = isWaiting ? [] : withOne(excluded, exclude)
  const later = isWaiting || startsOver === true ? [] : withOne(avoided, avoid)
  return {
    ...(passed.length === 0 ? {} : { excluded: passed }),
    ...(later.length === 0 ? {} : { avoided: later }),
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

/** Of an earlier attempt only good news counts: the newest attempt may still make up for bad news. */
const isCurrent = (state: MessageState, fact: ProviderFact, { cycle, attempt }: Moment): boolean =>
  cycle === state.cycle && (attempt === state.attempt || fact.kind === 'ProviderDelivered')

function reported(state: MessageState, fact: ProviderFact, at: Instant): MessageState {
  const providerState = PROVIDER_STATE[fact.kind]
  if (providerRank(providerState) <= providerRank(state.providerState)) return state
  return {
    ...(fact.kind === 'ProviderDelivered' ? redeemed(state) : state),
    ...(isNameless(state) ? named(fact.providerMessageId) : {}),
    providerState,
    ...(fact.kind === 'ProviderAccepted' ? {} : { endedAt: at }),
    ...(fact.code === undefined ? {} : { errorCode: fact.code, errorDetail: fact.detail ?? '' }),
  }
}

/** A person said that the provider has it; what the provider calls it comes with its first report. */
const isNameless = ({ handoffState, providerMessageId }: MessageState): boolean =>
  handoffState === 'handed_off' && providerMessageId === undefined

/** What arrived is in nobody's way: an earlier error no longer explains it, and it must not be replayed. */
const redeemed = ({ errorCode, errorDetail, ...rest }: MessageState): MessageState => ({ ...rest, dead: false })

function toNextCycle(state: MessageState, at: Instant): MessageState {
  const {
    excluded,
    waitingSince,
    providerMessageId,
    errorCode,
    errorDetail,
    handedOffAt,
    noDeliveryReports: quiet,
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
