/** Writes a log line for every event that this process stores. Its schema is in log-schema.ts. */
import type { Level, Logger } from 'pino'
import { toEmailStatus } from '../domain/email/pipeline.ts'
import type { MessageId } from '../domain/ids.ts'
import type { FactKind, MessageEvent } from '../domain/message/events.ts'
import type { MessageState } from '../domain/message/state.ts'
import { toStatus } from '../domain/message/states.ts'
import type { Revision } from '../ports/event-log.ts'
import type { Ids } from '../ports/world.ts'
import { hasAttempt } from './tracing-spans.ts'

/** `debug` is the normal life of a message: for sampled messages it is logged at `info`. */
export const LEVELS = {
  MessageCreated: 'debug',
  MessageValidated: 'debug',
  ValidationFailed: 'warn',
  HandoffAttempted: 'debug',
  HandoffAccepted: 'debug',
  HandoffUnknown: 'warn',
  RetryScheduled: 'info',
  HandoffFailed: 'warn',
  DeadLettered: 'warn',
  MessageExpired: 'warn',
  ResendRequested: 'info',
  ProviderAccepted: 'debug',
  ProviderDelivered: 'debug',
  ProviderBounced: 'info',
  ProviderDropped: 'info',
  ProviderComplaint: 'info',
  ProviderTimedOut: 'warn',
  MessageErased: 'info',
} as const satisfies Record<FactKind, Level>

export type EventLoggerDeps = Readonly<{
  logger: Logger
  ids: Pick<Ids, 'attemptId'>
  /** The life of one message in so many is logged at `info`; 0 for none. */
  sampleOneIn: number
}>

export function eventLogger({ logger, ids, sampleOneIn }: EventLoggerDeps) {
  const isSampled = samplerOf(sampleOneIn)

  return (event: MessageEvent, _previous: MessageState | undefined, seq: Revision): void => {
    const { kind } = event.fact
    const { id } = event.state
    const level = LEVELS[kind] === 'debug' && isSampled(id) ? 'info' : LEVELS[kind]
    if (logger.isLevelEnabled(level)) logger[level](toFields(event, seq, ids), kind)
  }
}

/** By the random digits of the id, so that all processes log the same messages. */
function samplerOf(oneIn: number): (id: MessageId) => boolean {
  return oneIn === 0 ? () => false : (id) => Number.parseInt(id.slice(-8), 16) % oneIn === 0
}

function toFields(event: MessageEvent, seq: Revision, ids: EventLoggerDeps['ids']) {
  const { at, attempt, cycle, fact, state, traceId } = event
  const ref = { messageId: state.id, cycle, attempt }
  return {
    trace_id: traceId,
    http_request_id: state.httpRequestId,
    tenant_id: state.tenantId,
    message_id: state.id,
    attempt_id: hasAttempt(event) ? ids.attemptId(ref) : undefined,
    provider_message_id: state.providerMessageId,
    seq,
    event: fact.kind,
    status: toStatus(state),
    state: state.channel === 'email' ? toEmailStatus(state) : undefined,
    channel: state.channel,
    cycle,
    attempt,
    // Since the message was created.
    duration_ms: at - state.createdAt,
    provider: state.provider,
    error_code: state.errorCode,
  }
}
