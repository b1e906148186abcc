/**
 * A mail as a pipeline of states: each time it is taken up it is received, looked at, attempted, and sent, failed or
 * put off. All of it is derived from the events of the message; the views of the same name in SQL say the same.
 */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { ProviderName } from '../ids.ts'
import { type ErrorCategory, toErrorCategory } from '../message/error-category.ts'
import type { Check, Fact, MessageEvent } from '../message/events.ts'
import type { MessageState } from '../message/state.ts'

export const EMAIL_STATES = [
  'RECEIVED',
  'VALIDATED',
  'SENT_ATTEMPT',
  'SENT',
  'FAILED',
  'RETRY_SCHEDULED',
  'VALIDATION_FAILED',
] as const
export type EmailState = (typeof EMAIL_STATES)[number]

/** What a mail has come to. That it was looked at is an event on the way, and never where it stays. */
export type EmailStatus = Exclude<EmailState, 'VALIDATED' | 'VALIDATION_FAILED'>

export function toEmailStatus({ handoffState, phase }: Pick<MessageState, 'handoffState' | 'phase'>): EmailStatus {
  switch (handoffState) {
    case 'queued':
      return 'RECEIVED'
    case 'sending':
      return phase === 'closed' ? 'RETRY_SCHEDULED' : 'SENT_ATTEMPT'
    case 'handed_off':
      return 'SENT'
    case 'failed':
      return 'FAILED'
  }
}

export type EmailEvent = Readonly<{
  type: EmailState
  at: Instant
  /** In the state before; zero for the first. */
  durationMs: number
  metadata: EmailEventMetadata
}>

export type EmailEventMetadata = Readonly<{
  /** The attempt that is made, or prepared. */
  attempt: number
  cycle: number
  provider?: ProviderName
  sesMessageId?: string
  checks?: readonly Check[]
  check?: Check
  errorCode?: string
  errorCategory?: ErrorCategory
  errorMessage?: string
  willRetry?: boolean
  nextAttemptNumber?: number
  backoffDelay?: number
}>

export function toEmailEvents(events: readonly MessageEvent[]): readonly EmailEvent[] {
  const told: EmailEvent[] = []
  for (const event of events) {
    for (const type of toTypes(event)) {
      const durationMs = event.at - (told.at(-1)?.at ?? event.at)
      told.push({ type, at: event.at, durationMs, metadata: toMetadata(type, event) })
    }
  }
  return told
}

function toTypes(event: MessageEvent): readonly EmailState[] {
  const { fact } = event
  switch (fact.kind) {
    case 'MessageCreated':
    case 'ResendRequested':
      return ['RECEIVED']
    case 'MessageValidated':
      return [...again(event), 'VALIDATED']
    case 'ValidationFailed':
      return ifSo(event, 'FAILED', ...again(event), 'VALIDATION_FAILED')
    case 'HandoffAttempted':
      return ifSo(event, 'SENT_ATTEMPT')
    case 'HandoffAccepted':
      return ifSo(event, 'SENT')
    case 'RetryScheduled':
      return ifSo(event, 'RETRY_SCHEDULED')
    case 'HandoffFailed':
    case 'DeadLettered':
    case 'MessageExpired':
      return ifSo(event, 'FAILED')
    case 'HandoffUnknown':
    case 'ProviderAccepted':
    case 'ProviderDelivered':
    case 'ProviderBounced':
    case 'ProviderDropped':
    case 'ProviderComplaint':
    case 'ProviderTimedOut':
    case 'MessageErased':
      return []
  }
}

/** A fact that came too late has changed nothing, and is none of the pipeline's. */
const ifSo = (event: MessageEvent, status: EmailStatus, ...before: readonly EmailState[]): readonly EmailState[] =>
  toEmailStatus(event.state) === status ? [...before, status] : []

/** A mail that is taken up once more, after an attempt, is received once more. */
const again = ({ previousStatus }: MessageEvent): readonly EmailState[] =>
  previousStatus === 'queued' ? [] : ['RECEIVED']

/** What happens before an attempt belongs to the one that is to come. */
const AHEAD = new Set<Fact['kind']>(['MessageCreated', 'ResendRequested', 'MessageValidated', 'ValidationFailed'])

function toMetadata(type: EmailState, { fact, at, cycle, attempt: newest, state }: MessageEvent): EmailEventMetadata {
  const attempt = newest + (AHEAD.has(fact.kind) ? 1 : 0)
  const common = { attempt, cycle }
  const called = { ...common, ...omitUndefined({ provider: state.provider }) }
  switch (type) {
    case 'RECEIVED':
      return common
    case 'VALIDATED':
      return { ...common, ...omitUndefined({ checks: fact.kind === 'MessageValidated' ? fact.checks : undefined }) }
    case 'VALIDATION_FAILED':
      return {
        ...common,
        ...omitUndefined({ check: fact.kind === 'ValidationFailed' ? fact.check : undefined }),
        ...toError(state, false),
      }
    case 'SENT_ATTEMPT':
      return called
    case 'SENT':
      return { ...called, ...omitUndefined({ sesMessageId: state.providerMessageId }) }
    case 'RETRY_SCHEDULED': {
      const dueAt = fact.kind === 'RetryScheduled' ? fact.dueAt : at
      const next = { nextAttemptNumber: state.attempt + 1, backoffDelay: Math.max(0, dueAt - at) }
      return { ...called, ...toError(state, true), ...next }
    }
    case 'FAILED':
      return { ...common, ...toError(state, false) }
  }
}

/** What arrived after all has no error any more. */
function toError({ errorCode, errorDetail = '' }: MessageState, willRetry: boolean): Partial<EmailEventMetadata> {
  if (errorCode === undefined) return { willRetry }
  return { errorCode, errorCategory: toErrorCategory(errorCode, willRetry), errorMessage: errorDetail, willRetry }
}
