/** Writes a log line for every event that this process stores. */
import type { Logger } from 'pino'
import { toEmailStatus } from '../domain/email/pipeline.ts'
import type { Fact, MessageEvent } from '../domain/message/events.ts'
import { toStatus } from '../domain/message/states.ts'

/** Events that are not listed here belong to the normal life of a message and are logged at `debug`. */
const LEVELS: Readonly<Partial<Record<Fact['kind'], 'info' | 'warn'>>> = {
  ValidationFailed: 'warn',
  HandoffUnknown: 'warn',
  RetryScheduled: 'info',
  HandoffFailed: 'warn',
  DeadLettered: 'warn',
  MessageExpired: 'warn',
  ResendRequested: 'info',
  ProviderBounced: 'info',
  ProviderDropped: 'info',
  ProviderComplaint: 'info',
  ProviderTimedOut: 'warn',
  MessageErased: 'info',
}

export const eventLogger =
  (logger: Logger) =>
  ({ at, attempt, cycle, fact, state, traceId }: MessageEvent): void => {
    const level = LEVELS[fact.kind] ?? 'debug'
    if (!logger.isLevelEnabled(level)) return
    logger[level](
      {
        trace_id: traceId,
        message_id: state.id,
        tenant_id: state.tenantId,
        channel: state.channel,
        cycle,
        attempt,
        event: fact.kind,
        status: toStatus(state),
        ...(state.channel === 'email' ? { state: toEmailStatus(state) } : {}),
        // Since the message was created.
        duration_ms: at - state.createdAt,
        provider: state.provider,
        error_code: state.errorCode,
      },
      fact.kind,
    )
  }
