/**
 * An email as a pipeline of states. Each attempt goes through received, validated and attempted to sent, failed or
 * retrying. It is derived from the message's events; the SQL views of the same name must agree with it.
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

/** The resting states of an email. `validated` is only a transition. */
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
  /** Time spent in the previous state; zero for the first. */
  durationMs: number
  metadata: EmailEventMetadata
}>

type EmailEventMetadata = Readonly<{
  /** The attempt in progress or being prepared. */
  attempt: number
  cycle: number
  provider?: ProviderName
  sesMessageId?: string
  checks?: readonly Check[]
  check?: Check
  errorCode?: string
  errorCategory?: ErrorCategory
  errorMessage?: string
  /** The provider's own code. */
  originalCode?: string
  willRetry?: boolean
  nextAttemptNumber?: number
  backoffDelay?: number
}>

export function toEmailEvents(events: readonly MessageEvent[]): readonly EmailEvent[] {
  const pipeline: EmailEvent[] = []
  for (const event of events) {
    for (const type of pipelineStatesOf(event)) {
      const durationMs = event.at - (pipeline.at(-1)?.at ?? event.at)
      pipeline.push({ type, at: event.at, durationMs, metadata: toMetadata(type, event) })
    }
  }
  return pipeline
}

/** The states that an event leads through. */
export function pipelineStatesOf(event: MessageEvent): readonly EmailState[] {
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

/** A fact that came too late to change the state is not part of the pipeline. */
const ifSo = (event: MessageEvent, status: EmailStatus, ...before: readonly EmailState[]): readonly EmailState[] =>
  toEmailStatus(event.state) === status ? [...before, status] : []

/** Each further attempt goes through `received` again. */
const again = ({ previousStatus }: MessageEvent): readonly EmailState[] =>
  previousStatus === 'queued' ? [] : ['RECEIVED']

/** Steps before an attempt belong to the attempt that follows. */
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
        ...toError(state, fact, false),
      }
    case 'SENT_ATTEMPT':
      return called
    case 'SENT':
      return { ...called, ...omitUndefined({ sesMessageId: state.providerMessageId }) }
    case 'RETRY_SCHEDULED': {
      const dueAt = fact.kind === 'RetryScheduled' ? fact.dueAt : at
      const next = { nextAttemptNumber: state.attempt + 1, backoffDelay: Math.max(0, dueAt - at) }
      return { ...called, ...toError(state, fact, true), ...next }
    }
    case 'FAILED':
      return { ...common, ...toError(state, fact, false) }
  }
}

/** A delivered email has no error. */
function toError(
  { errorCode, errorDetail = '' }: MessageState,
  fact: Fact,
  willRetry: boolean,
): Partial<EmailEventMetadata> {
  if (errorCode === undefined) return { willRetry }
  const originalCode = 'originalCode' in fact ? fact.originalCode : undefined
  return {
    errorCode,
    errorCategory: toErrorCategory(errorCode, willRetry),
    errorMessage: errorDetail,
    ...omitUndefined({ originalCode }),
    willRetry,
  }
}
