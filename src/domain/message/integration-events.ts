/** The versioned events that we publish: every status change, every retry, every dead letter. */

import { toIso } from '../../lib/time.ts'
import type { Fact, MessageEvent } from './events.ts'
import { CHANNELS } from './message.ts'
import type { MessageState } from './state.ts'
import { toStatus } from './states.ts'

type DeadLettered = Extract<Fact, { kind: 'DeadLettered' }>

export type IntegrationEvent = Readonly<{ name: string; data: Readonly<Record<string, unknown>> }>

/** The names of all of them. */
export const INTEGRATION_EVENTS: readonly string[] = CHANNELS.flatMap((channel) =>
  ['events.status.v1', 'outbound.retry.v1', 'outbound.deadletter.v1'].map((name) => `${channel}.${name}`),
)

/** Their schemas are public: docs/events. What is sealed appears only as the address that opens it for who may. */
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
    const failed = { failureReason: fact.code, attemptCount: event.attempt, failedAt: toIso(event.at) }
    const data = { ...common, ...failed, ...toDeadLetter(state, fact) }
    events.push({ name: `${state.channel}.outbound.deadletter.v1`, data })
  }
  return events
}

/** The message, so that a consumer can decide what to do with it. A one-time code is never opened again. */
function toDeadLetter(state: MessageState, { code, originalCode, detail, outcome }: DeadLettered) {
  const href = `/v1/messages/${state.id}`
  return {
    lastError: { code, originalCode: originalCode ?? null, detail },
    outcomeUnknown: outcome === 'unknown',
    message: {
      type: state.kind,
      lane: state.lane,
      segmentCount: state.segments,
      encoding: state.encoding,
      cycle: state.cycle,
      provider: state.provider ?? null,
      operatorId: state.operatorId ?? null,
      routeId: state.routeId ?? null,
      enqueuedAt: toIso(state.createdAt),
      expiresAt: state.expiresAt === undefined ? null : toIso(state.expiresAt),
      traceId: state.traceId,
      httpRequestId: state.httpRequestId ?? null,
      href,
    },
    content: state.erased || state.lane === 'otp' ? null : { href: `${href}/content` },
  }
}
