/** What becomes of messages: how they end, why they fail, how long they take, and what is unknown about them. */
import type { Registry } from 'prom-client'
import { toErrorCategory } from '../../domain/message/error-category.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isHandoffOver, isProviderOver, toStatus } from '../../domain/message/states.ts'
import { OUTCOME_UNKNOWN } from '../../domain/routing/unknown.ts'
import { SLOW } from './buckets.ts'
import { durations } from './durations.ts'
import type { ObserveEvent } from './metrics.ts'
import { tally } from './tally.ts'

export function messageMetrics(registers: Registry[]): ObserveEvent {
  const observers = [statusMetrics(registers), latencyMetrics(registers), unknownMetrics(registers)]
  return (event, previous) => {
    for (const observe of observers) observe(event, previous)
  }
}

function statusMetrics(registers: Registry[]): ObserveEvent {
  const count = (name: string, help: string, ...labels: string[]) => tally(registers, name, help, labels)
  const changes = count('pombo_status_changes_total', 'Changes of the public status', 'channel', 'from', 'to')
  const ended = count(
    'pombo_messages_ended_total',
    'Messages that reached a final status',
    ...['channel', 'provider', 'status'],
  )
  const failures = count(
    'pombo_message_failures_total',
    'Messages that failed or expired, by error code',
    ...['channel', 'provider', 'code', 'category'],
  )
  const deadLetters = count('pombo_dead_letters_total', 'Messages that became dead letters', 'channel', 'code')

  return ({ previousStatus, state }, previous) => {
    const status = toStatus(state)
    const { channel, provider = '', errorCode = '' } = state
    if (state.dead && previous?.dead !== true) deadLetters(channel, errorCode)
    if (status === previousStatus) return
    changes(channel, previousStatus ?? '', status)
    if (isOver(state)) ended(channel, provider, status)
    if (status === 'failed' || status === 'expired') {
      failures(channel, provider, errorCode, toErrorCategory(errorCode, false))
    }
  }
}

/** Without delivery reports, a message is final once the provider has accepted it. */
const isOver = ({ providerState, handoffState, noDeliveryReports }: MessageState): boolean =>
  isProviderOver(providerState) ||
  handoffState === 'failed' ||
  (handoffState === 'handed_off' && noDeliveryReports === true)

function latencyMetrics(registers: Registry[]): ObserveEvent {
  const measure = (name: string, help: string, ...labelNames: string[]) =>
    durations(registers, { name, help, buckets: SLOW, labelNames })
  const wait = measure('pombo_queue_wait_seconds', 'From when an attempt was due until it began', 'lane')
  const handoff = measure('pombo_handoff_latency_seconds', 'From accept until the provider accepted the message')()
  const whole = measure('pombo_message_duration_seconds', 'From accept to the final status')()

  return ({ at, fact, previousStatus, state }, previous) => {
    const age = (at - state.createdAt) / 1000
    if (toStatus(state) !== previousStatus && isOver(state)) whole(age)
    if (fact.kind === 'HandoffAttempted' && previous?.dueAt !== undefined) {
      wait(state.lane)((at - previous.dueAt) / 1000)
    } else if (fact.kind === 'HandoffAccepted' && fact.by !== 'person' && isHandoffOver(state.handoffState)) {
      // When a person resolves an unknown outcome, the time of the handoff is not known.
      handoff(age)
    }
  }
}

/** Attempts whose outcome became unknown, and how that ended. The difference is what is open. */
function unknownMetrics(registers: Registry[]): ObserveEvent {
  const begun = tally(registers, 'pipeline_unknown_total', 'Attempts with an unknown outcome', ['provider', 'code'])
  const ended = tally(registers, 'pombo_unknown_ended_total', 'Unknown outcomes that ended, by what ended them', [
    ...['provider', 'by'],
  ])
  return (event, previous) => {
    const { fact, state } = event
    const { provider = '' } = state
    if (fact.kind === 'HandoffUnknown') begun(provider, fact.code)
    if (isOpen(previous) && !isOpen(state)) ended(previous?.provider ?? provider, endOf(event))
  }
}

const isOpen = (state: MessageState | undefined): boolean =>
  state?.phase === 'unknown' && !isHandoffOver(state.handoffState)

export const UNKNOWN_ENDS = ['answer', 'receipt', 'lookup', 'person', 'sent_again', 'not_received', 'given_up'] as const

function endOf({ fact }: MessageEvent): (typeof UNKNOWN_ENDS)[number] {
  if ('resolvedBy' in fact && fact.resolvedBy !== undefined) return 'person'
  switch (fact.kind) {
    case 'HandoffAccepted':
      return fact.by
    case 'RetryScheduled':
      return fact.code === OUTCOME_UNKNOWN.code ? 'sent_again' : 'not_received'
    case 'HandoffFailed':
      return 'not_received'
    default:
      return 'given_up'
  }
}
