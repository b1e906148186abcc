/** The state of a message: the fold of its facts. `(cycle, rank)` decides what may change what. */
import type { Fact, ProviderFact } from './events.ts'
import type { OperatorId, ProviderName, RouteId } from './ids.ts'
import type { Message } from './message.ts'
import { type HandoffState, handoffRank, type ProviderState, providerRank } from './states.ts'
import type { Instant } from './time.ts'

/**
 * Where the newest attempt stands: never begun, open (its owner is calling the provider), in doubt
 * (nobody knows whether the provider has it), or closed.
 */
export type AttemptPhase = 'none' | 'open' | 'doubt' | 'closed'

export type MessageState = Message &
  Readonly<{
    cycle: number
    /** Grows over the whole life of the message, across cycles. */
    attempt: number
    /** How many attempts earlier cycles used up. */
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
    routeId?: RouteId
    operatorId?: OperatorId
    providerMessageId?: string
    errorCode?: string
    errorDetail?: string
    handedOffAt?: Instant
    settledAt?: Instant
    expired: boolean
    dead: boolean
    erased: boolean
    updatedAt: Instant
  }>

/** When a fact happened, and to which attempt of which cycle it belongs. */
export type Moment = Readonly<{ at: Instant; cycle: number; attempt: number }>

export const FIRST_CYCLE = 1

export function toFirstState(message: Message, dueAt?: Instant): MessageState {
  return {
    ...message,
    cycle: FIRST_CYCLE,
    attempt: 0,
    attemptsBefore: 0,
    phase: 'none',
    handoffState: dueAt === undefined ? 'queued' : 'created',
    providerState: 'unknown',
    dueAt: dueAt ?? message.createdAt,
    expired: false,
    dead: false,
    erased: false,
    updatedAt: message.createdAt,
  }
}

/** The state after one more fact. Total: a fact that comes too late leaves all but `updatedAt` as it was. */
export function fold(state: MessageState, fact: Fact, moment: Moment): MessageState {
  const { at } = moment
  const next = { ...state, updatedAt: at }
  switch (fact.kind) {
    case 'MessageCreated':
    case 'MessageValidated':
      return next
    case 'HandoffAttempted':
      return {
        ...without(next, 'dueAt', 'providerMessageId', 'errorCode', 'errorDetail', 'operatorId'),
        attempt: state.attempt + 1,
        phase: 'open',
        attemptedAt: at,
        owner: fact.owner,
        provider: fact.provider,
        routeId: fact.routeId,
        ...(fact.operatorId === undefined ? {} : { operatorId: fact.operatorId }),
        ...rise(state, 'sending'),
      }
    case 'HandoffAccepted':
      return {
        ...without(next, 'dueAt', 'errorCode', 'errorDetail'),
        ...closed(state, 'handed_off'),
        providerMessageId: fact.providerMessageId,
        handedOffAt: at,
      }
    case 'HandoffUnknown':
      return { ...next, phase: 'doubt', dueAt: fact.reconcileAt, ...reason(fact) }
    case 'RetryScheduled':
      return { ...next, phase: 'closed', dueAt: fact.dueAt, ...reason(fact) }
    case 'ValidationFailed':
    case 'HandoffFailed':
      return { ...without(next, 'dueAt'), ...closed(state, 'failed'), ...reason(fact) }
    case 'DeadLettered':
      return { ...without(next, 'dueAt'), ...closed(state, 'failed'), ...reason(fact), dead: true }
    case 'MessageExpired':
      return { ...without(next, 'dueAt'), ...closed(state, 'failed'), expired: true, ...EXPIRED }
    case 'ResendRequested':
      return toNextCycle(next, at)
    case 'MessageErased':
      return { ...next, erased: true }
    case 'ProviderAccepted':
    case 'ProviderDelivered':
    case 'ProviderBounced':
    case 'ProviderDropped':
    case 'ProviderComplaint':
    case 'ProviderTimedOut':
      return isCurrent(state, fact, moment) ? reported(next, fact, at) : next
  }
}

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
    ...state,
    providerState,
    ...(fact.kind === 'ProviderAccepted' ? {} : { settledAt: at }),
    ...(fact.code === undefined ? {} : { errorCode: fact.code, errorDetail: fact.detail ?? '' }),
  }
}

function toNextCycle(state: MessageState, at: Instant): MessageState {
  const fresh = without(state, 'providerMessageId', 'errorCode', 'errorDetail', 'handedOffAt', 'settledAt')
  return {
    ...fresh,
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

/** A hand-off that is over stays as it ended; otherwise the attempt closes and the state rises. */
const closed = (state: MessageState, to: HandoffState): Partial<MessageState> => ({
  phase: 'closed',
  ...rise(state, to),
})

const rise = (state: MessageState, to: HandoffState): Partial<MessageState> =>
  handoffRank(to) > handoffRank(state.handoffState) ? { handoffState: to } : {}

const reason = ({ code, detail }: { code: string; detail: string }): Partial<MessageState> => ({
  errorCode: code,
  errorDetail: detail,
})

function without<Key extends keyof MessageState>(state: MessageState, ...keys: Key[]): Omit<MessageState, Key> {
  const copy: Partial<MessageState> = { ...state }
  for (const key of keys) delete copy[key]
  return copy as Omit<MessageState, Key>
}
