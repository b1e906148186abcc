/** The versioned events that we publish: every status change, every retry, every dead letter. */

import { toIso } from '../../lib/time.ts'
import type { MessageEvent } from './events.ts'
import { toStatus } from './states.ts'

type IntegrationEvent = Readonly<{ name: string; data: Readonly<Record<string, unknown>> }>

/** Their schemas are public: docs/events. */
export function toIntegrationEvents(event: MessageEvent): readonly IntegrationEvent[] {
  const { fact, state, previousStatus } = event
  const newStatus = toStatus(state)
  const common = { messageId: state.id, tenantId: state.tenantId, accountId: state.accountId, at: toIso(event.at) }
  const events: IntegrationEvent[] = []
  if (newStatus !== previousStatus) {
    const data = { ...common, previousStatus: previousStatus ?? null, newStatus }
    events.push({ name: `${state.channel}.events.status.v1`, data })
  }
  if (fact.kind === 'RetryScheduled') {
    const data = { ...common, attempt: event.attempt, reason: fact.code, dueAt: toIso(fact.dueAt) }
    events.push({ name: `${state.channel}.outbound.retry.v1`, data })
  }
  if (fact.kind === 'DeadLettered') {
    const data = { ...common, failureReason: fact.code, attemptCount: event.attempt, failedAt: toIso(event.at) }
    events.push({ name: `${state.channel}.outbound.deadletter.v1`, data })
  }
  return events
}
