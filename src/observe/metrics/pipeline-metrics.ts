/**
 * The pipeline of every message: received, validated and attempted to sent, failed or retrying. The states are those of
 * an email's history; an SMS goes through the same ones.
 */
import type { Registry } from 'prom-client'
import { type EmailState, pipelineStatesOf, toEmailStatus } from '../../domain/email/pipeline.ts'
import { toErrorCategory } from '../../domain/message/error-category.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isProviderOver } from '../../domain/message/states.ts'
import type { Instant } from '../../lib/time.ts'
import { SLOW } from './buckets.ts'
import { durations, type Observe } from './durations.ts'
import type { ObserveEvent } from './metrics.ts'
import { tally } from './tally.ts'

export function pipelineMetrics(registers: Registry[]): ObserveEvent {
  const count = (name: string, help: string, ...labels: string[]) => tally(registers, name, help, labels)
  const transitions = count(
    'pipeline_state_transitions_total',
    'Entries into a state of the pipeline',
    'channel',
    'state',
  )
  const failures = count('pipeline_validation_failures_total', 'Messages that failed a check', 'check', 'code')
  const retries = count('pipeline_retry_total', 'Retries scheduled', 'channel', 'code', 'category')
  const finals = count('pipeline_final_state_total', 'Messages that were sent or have failed', 'channel', 'state')
  const measureState = stateDurations(registers)

  return (event, previous) => {
    const { fact, state, at } = event
    const { channel } = state
    for (const reached of statesOf(event)) {
      transitions(channel, reached)
      if (reached === 'SENT' || reached === 'FAILED') finals(channel, reached)
    }
    if (previous !== undefined) measureState(previous, state, at)
    if (fact.kind === 'RetryScheduled') retries(channel, fact.code, toErrorCategory(fact.code, true))
    else if (fact.kind === 'ValidationFailed') failures(fact.check ?? '', fact.code)
  }
}

/** An SMS is validated without an event of its own: the attempt says that it was. */
function statesOf(event: MessageEvent): readonly EmailState[] {
  if (event.state.channel !== 'sms' || event.fact.kind !== 'HandoffAttempted') return pipelineStatesOf(event)
  return event.previousStatus === 'queued' ? FIRST_ATTEMPT : NEXT_ATTEMPT
}

const FIRST_ATTEMPT: readonly EmailState[] = ['VALIDATED', 'SENT_ATTEMPT']
const NEXT_ATTEMPT: readonly EmailState[] = ['RECEIVED', ...FIRST_ATTEMPT]

/**
 * Observes how long a state lasted when it ends, each attempt separately. `VALIDATED` lasts no time: the attempt is
 * written with it. `SENT` lasts until the provider's final report.
 */
function stateDurations(registers: Registry[]) {
  const processing = durations(registers, {
    name: 'pipeline_processing_duration_seconds',
    help: 'Time that messages spent in a state',
    buckets: SLOW,
    labelNames: ['state'],
  })
  const timers = {
    RECEIVED: processing('RECEIVED'),
    SENT_ATTEMPT: processing('SENT_ATTEMPT'),
    RETRY_SCHEDULED: processing('RETRY_SCHEDULED'),
    SENT: processing('SENT'),
  }
  return (previous: MessageState, state: MessageState, at: Instant): void => {
    const [before, after] = [toEmailStatus(previous), toEmailStatus(state)]
    if (before === 'FAILED') return
    if (before === 'SENT') {
      if (!isProviderOver(previous.providerState) && isProviderOver(state.providerState)) {
        observe(timers.SENT, previous.handedOffAt, at)
      }
    } else if (after !== before || state.attempt !== previous.attempt) observe(timers[before], since(previous), at)
  }
}

const observe = (timer: Observe, from: Instant | undefined, at: Instant): void => {
  if (from !== undefined) timer((at - from) / 1000)
}

function since(state: MessageState): Instant | undefined {
  if (state.handoffState === 'queued') return state.dueAt ?? state.createdAt
  return state.phase === 'closed' ? state.updatedAt : state.attemptedAt
}
