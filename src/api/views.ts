/** Messages as callers see them: snake_case, times in ISO 8601, recipients masked, nothing of our insides. */
import type { MessageEvent } from '../domain/events.ts'
import type { SmsContent } from '../domain/message.ts'
import { maskPhoneNumber } from '../domain/phone-number.ts'
import type { MessageState } from '../domain/state.ts'
import { toStatus } from '../domain/states.ts'
import { type Instant, toIso } from '../domain/time.ts'
import type { Row } from '../ports/message-index.ts'
import type { MessageDetails, MessageRow, TimelineEvent } from './schemas.ts'

type Shown = Readonly<{ to: string; tags: readonly string[] }>

/** `shown` is what may be told of the content; missing once it is erased. */
export function toRow(state: MessageState, shown: Shown | undefined): MessageRow {
  return {
    request_id: state.id,
    status: toStatus(state),
    handoff_state: state.handoffState,
    provider_state: state.providerState,
    to: shown?.to ?? null,
    provider: state.provider ?? null,
    provider_message_id: state.providerMessageId ?? null,
    error_code: state.errorCode ?? null,
    error_detail: state.errorDetail ?? null,
    attempts: state.attempt,
    cycle: state.cycle,
    segments: state.segments,
    encoding: state.encoding,
    channel: state.channel,
    type: state.kind,
    lane: state.lane,
    tags: [...(shown?.tags ?? [])],
    unknown: state.phase === 'doubt',
    dead_letter: state.dead,
    erased: state.erased,
    created_at: toIso(state.createdAt),
    updated_at: toIso(state.updatedAt),
  }
}

/** The index may lag: the latest state decides, also on whether there is still something to show. */
export const toListed = ({ state, searchable }: Row, latest: MessageState = state): MessageRow =>
  toRow(latest, latest.erased ? undefined : searchable)

export const toShown = (content: SmsContent | undefined): Shown | undefined =>
  content && { to: maskPhoneNumber(content.to), tags: content.tags }

export function toDetails(
  state: MessageState,
  content: SmsContent | undefined,
  events: readonly MessageEvent[],
): MessageDetails {
  return {
    ...toRow(state, toShown(content)),
    account_id: state.accountId,
    trace_id: state.traceId,
    sender_id: content?.from ?? null,
    metadata: { ...content?.metadata },
    callback_url: content?.callbackUrl ?? null,
    expires_at: isoOrNull(state.expiresAt),
    route_id: state.routeId ?? null,
    operator_id: state.operatorId ?? null,
    due_at: isoOrNull(state.dueAt),
    handed_off_at: isoOrNull(state.handedOffAt),
    settled_at: isoOrNull(state.settledAt),
    events: events.map(toTimelineEvent),
  }
}

const isoOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : toIso(at))

export function toTimelineEvent({ fact, at, cycle, attempt, attemptId, traceId, state }: MessageEvent): TimelineEvent {
  // Which of our processes made an attempt is nobody's business.
  const { kind, ...told } = 'owner' in fact ? { ...fact, owner: undefined } : fact
  const attempted = attemptId === undefined ? {} : { attempt_id: attemptId }
  return {
    event_type: kind,
    at: toIso(at),
    payload: { status: toStatus(state), cycle, attempt, ...attempted, trace_id: traceId, ...toSnakeCase(told) },
  }
}

/** A field whose name ends in `At` is a point in time. */
function toSnakeCase(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name.endsWith('At') ? toIso(value as Instant) : value,
    ]),
  )
}
