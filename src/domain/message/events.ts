/**
 * The facts of a message. They are in the past tense and never change once written; the state of a message is the fold
 * of its facts (state.ts). No fact contains the recipient or the content.
 */

import type { Instant } from '../../lib/time.ts'
import type { AccountId, EventId, OperatorId, ProviderName, RouteId, TraceId } from '../ids.ts'
import type { MessageState } from './state.ts'
import type { Status } from './states.ts'
import type { SpanContext } from './trace.ts'

/** The checks before a message is sent. */
export const CHECKS = ['INTEGRITY', 'RECIPIENT', 'TEMPLATE'] as const
export type Check = (typeof CHECKS)[number]

/** `originalCode` is the provider's own code, if it gave one. */
type Reason = Readonly<{ code: string; originalCode?: string; detail: string }>

/** The account on whose behalf a person decided it. */
type Resolved = Readonly<{ resolvedBy: AccountId }>

export type Fact =
  /** The message is in the event's state, where the fold begins. */
  | Readonly<{ kind: 'MessageCreated' }>
  /** The checks that passed, in order. */
  | Readonly<{ kind: 'MessageValidated'; checks?: readonly Check[] }>
  | Readonly<{ kind: 'ValidationFailed'; check?: Check } & Reason>
  /** Appending this fact is the claim: only `owner` may now call the provider. */
  | Readonly<{
      kind: 'HandoffAttempted'
      provider: ProviderName
      routeId: RouteId
      operatorId?: OperatorId
      owner: string
    }>
  /**
   * `by` is the source: the provider's response, or later its receipt or a look-up. With `noDeliveryReports` no
   * delivery report will follow.
   */
  | Readonly<{
      kind: 'HandoffAccepted'
      providerMessageId: string
      by: 'answer' | 'receipt' | 'lookup'
      noDeliveryReports?: true
    }>
  /** A person knows that the provider has it, without the provider's id for it. */
  | Readonly<{ kind: 'HandoffAccepted'; providerMessageId?: never; by: 'person'; noDeliveryReports?: never } & Resolved>
  | Readonly<{ kind: 'HandoffUnknown'; reconcileAt: Instant } & Reason>
  /**
   * `exclude` names a provider that is at fault itself and is not tried again in this cycle. `avoid` names one that may
   * succeed later: others come first until `startsOver`. An `uncounted` attempt does not use up one of the message's
   * attempts, and makes all providers eligible again. `retryAfterSeconds` is the wait that the provider asked for,
   * `dueAt` the one that applies.
   */
  | Readonly<
      {
        kind: 'RetryScheduled'
        dueAt: Instant
        exclude?: ProviderName
        avoid?: ProviderName
        uncounted?: true
        startsOver?: true
        retryAfterSeconds?: number
      } & Reason &
        Partial<Resolved>
    >
  | Readonly<{ kind: 'HandoffFailed' } & Reason & Partial<Resolved>>
  /** With an unknown outcome the provider may have it: a receipt or a person can resolve that later. */
  | Readonly<{ kind: 'DeadLettered'; outcome?: 'unknown' } & Reason>
  /** The reason why it could not be sent in time, if known. */
  | Readonly<{ kind: 'MessageExpired' } & Partial<Reason>>
  | Readonly<{ kind: 'ResendRequested'; by: 'resend' | 'replay' }>
  /** The last attempt of the cycle has an unknown outcome, and a person wants another one anyway. */
  | Readonly<{ kind: 'ResendRequested'; by: 'person' } & Resolved>
  | ProviderFact
  /** With `kept` only the content is erased, as after a one-time code has ended: the recipient can still be found. */
  | Readonly<{ kind: 'MessageErased'; kept?: 'recipient' }>

/** `reportId` identifies a provider's report; the same report twice is one fact. */
export type ProviderFact = Readonly<{
  kind:
    | 'ProviderAccepted'
    | 'ProviderDelivered'
    | 'ProviderBounced'
    | 'ProviderDropped'
    | 'ProviderComplaint'
    | 'ProviderTimedOut'
  reportId: string
  providerMessageId?: string
  code?: string
  detail?: string
}>

export type FactKind = Fact['kind']

/** A fact as the log stores it. */
export type MessageEvent = Readonly<{
  id: EventId
  cycle: number
  attempt: number
  at: Instant
  traceId: TraceId
  fact: Fact
  /** The status before this event; missing for the first. */
  previousStatus?: Status
  /** The fold of all facts up to this one: the newest event is the latest state. */
  state: MessageState
  /** The span in which it happened, where traces are exported. Only for them: the log does not store it. */
  cause?: SpanContext
}>
