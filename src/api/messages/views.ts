/** Messages as callers see them: snake_case, times in ISO 8601, recipients masked, nothing of our insides. */
import type { Fact, MessageEvent } from '../../domain/message/events.ts'
import { type Content, senderOf } from '../../domain/message/message.ts'
import { isForgotten, maskRecipient } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { toStatus } from '../../domain/message/states.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import type { Row } from '../../ports/message-index.ts'
import type { Ids } from '../../ports/world.ts'
import type { MessageDetails, MessageRow, MessageStatus, Resent, TimelineEvent } from '../http/schemas.ts'
import type { Found } from './find-message.ts'

type Shown = Readonly<{ to: string; tags: readonly string[] }>

/** `shown` is what may be told of the content; missing once it is erased. */
export function toRow(state: MessageState, shown: Shown | undefined): MessageRow {
  return {
    id: state.id,
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
    unknown: state.phase === 'unknown',
    dead_letter: state.dead,
    erased: state.erased,
    created_at: toIso(state.createdAt),
    updated_at: toIso(state.updatedAt),
  }
}

/** The index may lag: the latest state decides, also on whether there is still something to show. */
export const toListed = ({ state, searchable }: Row, latest: MessageState = state): MessageRow =>
  toRow(latest, isForgotten(latest) ? undefined : searchable)

export const toShown = (content: Content | undefined): Shown | undefined =>
  content && { to: maskRecipient(content), tags: content.tags }

/** How attempts are named to providers. */
export type ViewDeps = Pick<Ids, 'attemptId'>

export const toMessageStatus = (ids: ViewDeps, { state, content, kept, events }: Found): MessageStatus => ({
  ...toRow(state, toShown(content) ?? kept),
  events: events.map((event) => toTimelineEvent(ids, event)),
})

export function toDetails(ids: ViewDeps, found: Found): MessageDetails {
  const { state, content } = found
  const { events, ...row } = toMessageStatus(ids, found)
  return {
    ...row,
    account_id: state.accountId,
    trace_id: state.traceId,
    sender_id: (content && senderOf(content)) ?? null,
    subject: content === undefined ? null : subjectOf(content),
    metadata: { ...content?.metadata },
    callback_url: content?.callbackUrl ?? null,
    expires_at: isoOrNull(state.expiresAt),
    route_id: state.routeId ?? null,
    operator_id: state.operatorId ?? null,
    due_at: isoOrNull(state.dueAt),
    handed_off_at: isoOrNull(state.handedOffAt),
    ended_at: isoOrNull(state.endedAt),
    events,
  }
}

/** What carries a code may say it in its subject. */
const subjectOf = (content: Content): string | null =>
  content.channel === 'email' && content.otp === undefined ? content.subject : null

export const toResent = (state: MessageState): Resent => ({
  id: state.id,
  status: toStatus(state),
  cycle: state.cycle,
  updated_at: toIso(state.updatedAt),
})

const isoOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : toIso(at))

export function toTimelineEvent({ attemptId }: ViewDeps, event: MessageEvent): TimelineEvent {
  const { fact, at, cycle, attempt, traceId, state } = event
  const attempted = attempt === 0 ? {} : { attempt_id: attemptId({ messageId: state.id, cycle, attempt }) }
  const common = { status: toStatus(state), cycle, attempt, ...attempted, trace_id: traceId }
  return { event_type: fact.kind, at: toIso(at), payload: { ...common, ...toPayload(fact) } }
}

/** `kind` is told already, and which of our processes made an attempt is nobody's business. */
const UNTOLD = new Set(['kind', 'owner'])

/** A field whose name ends in `At` is a point in time. */
function toPayload(fact: Fact): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fact)
      .filter(([name]) => !UNTOLD.has(name))
      .map(([name, value]) => [toSnakeCase(name), name.endsWith('At') ? toIso(value as Instant) : value]),
  )
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
