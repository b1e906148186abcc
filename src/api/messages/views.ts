/** Messages in responses: snake_case, times in ISO 8601, recipients masked, no internal fields. */
import { callingCodeOf } from '../../domain/message/country.ts'
import { toErrorAdvice } from '../../domain/message/error-advice.ts'
import type { Fact, MessageEvent } from '../../domain/message/events.ts'
import { type Content, senderOf } from '../../domain/message/message.ts'
import { isForgotten, maskRecipient } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { isHandoffOver, toStatus } from '../../domain/message/states.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import type { Row } from '../../ports/message-index.ts'
import type { Ids } from '../../ports/world.ts'
import { isoOrNull } from '../http/schemas.ts'
import { type FoundMessage, toEventsCursor } from './find-message.ts'
import type { MessageDetails, MessageError, MessageRow, MessageStatus, TimelineEvent } from './message-schemas.ts'

type VisibleContent = Readonly<{ to: string; tags: readonly string[]; subject?: string }>

/** `content` is undefined after erasure. */
export function toRow(state: MessageState, content: VisibleContent | undefined): MessageRow {
  return {
    id: state.id,
    status: toStatus(state),
    handoff_state: state.handoffState,
    provider_state: state.providerState,
    to: content?.to ?? null,
    country: state.country ?? null,
    calling_code: (state.country && callingCodeOf(state.country)) ?? null,
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
    tags: [...(content?.tags ?? [])],
    subject: content?.subject ?? null,
    template: state.template ?? null,
    batch_id: state.batchId ?? null,
    unknown: state.phase === 'unknown',
    dead_letter: state.dead,
    erased: state.erased,
    created_at: toIso(state.createdAt),
    updated_at: toIso(state.updatedAt),
  }
}

/** The index may lag: the latest state decides, also whether the content may still be shown. */
export const toListed = ({ state, searchable }: Row, latest: MessageState = state): MessageRow =>
  toRow(latest, isForgotten(latest) ? undefined : searchable)

const toVisibleContent = (content: Content | undefined): VisibleContent | undefined =>
  content && { to: maskRecipient(content), tags: content.tags, ...subjectOf(content) }

export type ViewDeps = Pick<Ids, 'attemptId'>

export function toMessageStatus(ids: ViewDeps, found: FoundMessage): MessageStatus {
  const { state, content, searchable, events, total } = found
  return {
    ...toRow(state, toVisibleContent(content) ?? searchable),
    events: events.map((event) => toTimelineEvent(ids, event)),
    events_total: total,
    events_next_cursor: toEventsCursor(found),
  }
}

export function toDetails(ids: ViewDeps, found: FoundMessage): MessageDetails {
  const { state, content } = found
  const { events, events_total, events_next_cursor, ...row } = toMessageStatus(ids, found)
  return {
    ...row,
    error: toError(state),
    account_id: state.accountId,
    trace_id: state.traceId,
    http_request_id: state.httpRequestId ?? null,
    sender_id: (content && senderOf(content)) ?? null,
    metadata: { ...content?.metadata },
    callback_url: content?.callbackUrl ?? null,
    expires_at: isoOrNull(state.expiresAt),
    route_id: state.routeId ?? null,
    operator_id: state.operatorId ?? null,
    due_at: isoOrNull(state.dueAt),
    handed_off_at: isoOrNull(state.handedOffAt),
    ended_at: isoOrNull(state.endedAt),
    events,
    events_total,
    events_next_cursor,
  }
}

/** A message that is still sending has failed for now only. */
export function toError({ errorCode: code, errorDetail, handoffState }: MessageState): MessageError | null {
  if (code === undefined) return null
  return { code, detail: errorDetail ?? null, ...toErrorAdvice(code, !isHandoffOver(handoffState)) }
}

/** The subject of an email with a one-time code may contain the code. */
const subjectOf = (content: Content): Pick<VisibleContent, 'subject'> =>
  content.channel === 'email' && content.otp === undefined ? { subject: content.subject } : {}

function toTimelineEvent({ attemptId }: ViewDeps, event: MessageEvent): TimelineEvent {
  const { fact, at, cycle, attempt, traceId, state } = event
  const attempted = attempt === 0 ? {} : { attempt_id: attemptId({ messageId: state.id, cycle, attempt }) }
  const common = { status: toStatus(state), cycle, attempt, ...attempted, trace_id: traceId }
  return { event_type: fact.kind, at: toIso(at), payload: { ...common, ...toPayload(fact) } }
}

/** `kind` is already the event type; `owner` is the process that made an attempt. */
const INTERNAL_FIELDS = new Set(['kind', 'owner'])

/** Fields whose names end in `At` are times. */
function toPayload(fact: Fact): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fact)
      .filter(([name]) => !INTERNAL_FIELDS.has(name))
      .map(([name, value]) => [toSnakeCase(name), name.endsWith('At') ? toIso(value as Instant) : value]),
  )
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
