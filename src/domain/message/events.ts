/**
 * What can happen to a message. Facts are past tense and never change once written; the fold of a
 * message's facts is its state (state.ts). Nothing here tells who the message is for or what it says.
 */

import type { Instant } from '../../lib/time.ts'
import type { AccountId, EventId, OperatorId, ProviderName, RouteId, TraceId } from '../ids.ts'
import type { MessageState } from './state.ts'
import type { Status } from './states.ts'

/** What is looked at before a message is sent. */
export const CHECKS = ['INTEGRITY', 'RECIPIENT', 'TEMPLATE'] as const
export type Check = (typeof CHECKS)[number]

type Reason = Readonly<{ code: string; detail: string }>

/** In whose name a person decided it. Who that was is not told: only the account. */
type Resolved = Readonly<{ resolvedBy: AccountId }>

export type Fact =
  /** The message itself is in the state that comes with it, where the fold begins. */
  | Readonly<{ kind: 'MessageCreated' }>
  /** What was looked at, in this order. */
  | Readonly<{ kind: 'MessageValidated'; checks?: readonly Check[] }>
  | Readonly<{ kind: 'ValidationFailed'; check?: Check } & Reason>
  /** Winning the append of this fact is the claim: `owner` alone may now call the provider. */
  | Readonly<{
      kind: 'HandoffAttempted'
      provider: ProviderName
      routeId: RouteId
      operatorId?: OperatorId
      owner: string
    }>
  /**
   * `by` says who told us: the provider's answer, or afterwards its receipt or a look-up. `quiet` says that no word of
   * its delivery is to be expected.
   */
  | Readonly<{
      kind: 'HandoffAccepted'
      providerMessageId: string
      by: 'answer' | 'receipt' | 'lookup'
      noDeliveryReports?: true
    }>
  /** A person knows that the provider has it, and not what the provider calls it. */
  | Readonly<{ kind: 'HandoffAccepted'; providerMessageId?: never; by: 'person'; noDeliveryReports?: never } & Resolved>
  | Readonly<{ kind: 'HandoffUnknown'; reconcileAt: Instant } & Reason>
  /**
   * `exclude` names a provider that blamed itself: this cycle does not ask it again. `avoid` names one that may do
   * better later: others come before it until `startsOver` says that all have had their turn. A `spared` attempt does
   * not count among those a message has, and once the message has waited for an account all are asked again.
   * `retryAfterSeconds` is the wait that the provider asked for; `dueAt` says what was made of it.
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
  /** With an unknown outcome the provider may still have it: a receipt or a person can resolve that afterwards. */
  | Readonly<{ kind: 'DeadLettered'; outcome?: 'unknown' } & Reason>
  /** The reason is why it could not be sent in time, where that is known. */
  | Readonly<{ kind: 'MessageExpired' } & Partial<Reason>>
  | Readonly<{ kind: 'ResendRequested'; by: 'resend' | 'replay' }>
  /** An attempt is still with an unknown outcome and was the last of its cycle; a person wants another all the same. */
  | Readonly<{ kind: 'ResendRequested'; by: 'person' } & Resolved>
  | ProviderFact
  /** `kept` says that only the content is gone, as when a one-time code has ended: whom it was for can still be found. */
  | Readonly<{ kind: 'MessageErased'; kept?: 'recipient' }>

/** `reportId` tells two reports of one provider apart; the same report twice is one fact. */
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

/** A fact about one message at one moment, as the log keeps it. */
export type MessageEvent = Readonly<{
  id: EventId
  cycle: number
  attempt: number
  at: Instant
  traceId: TraceId
  fact: Fact
  /** The status before this event; empty for the first. */
  previousStatus?: Status
  /** All facts of the message folded, this one included: the newest event is the latest state. */
  state: MessageState
}>
