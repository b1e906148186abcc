/** The schemas of messages in responses. */
import { type Static, Type } from 'typebox'
import { CHANNELS, KINDS, LANES } from '../../domain/message/message.ts'
import { HANDOFF_STATES, PROVIDER_STATES, STATUSES } from '../../domain/message/states.ts'
import { HttpRequestId, MessageIdText, nullable, Time } from '../http/schemas.ts'

/** A message in a list: its latest state, with the recipient masked. */
export const MessageRow = Type.Object({
  id: MessageIdText,
  status: Type.Enum(STATUSES),
  handoff_state: Type.Enum(HANDOFF_STATES),
  provider_state: Type.Enum(PROVIDER_STATES),
  to: nullable(Type.String({ description: 'Masked; null after erasure.', examples: ['+*******4321'] })),
  provider: nullable(Type.String()),
  provider_message_id: nullable(Type.String()),
  error_code: nullable(Type.String()),
  error_detail: nullable(Type.String()),
  attempts: Type.Integer(),
  cycle: Type.Integer({ description: 'Starts at 1; every resend and replay adds one.' }),
  segments: Type.Integer({ description: 'The number of SMS segments; 1 for email.' }),
  encoding: Type.Enum(['gsm7', 'ucs2', 'mime'], { description: '`mime` for email.' }),
  channel: Type.Enum(CHANNELS),
  type: Type.Enum(KINDS),
  lane: Type.Enum(LANES),
  tags: Type.Array(Type.String()),
  unknown: Type.Boolean({
    description: 'The outcome of the latest attempt is unknown: the provider may or may not have the message.',
  }),
  dead_letter: Type.Boolean(),
  erased: Type.Boolean({
    description: 'The content is erased. When it was erased because its one-time code ended, `to` is still shown.',
  }),
  created_at: Time,
  updated_at: Time,
})
export type MessageRow = Static<typeof MessageRow>

export const TimelineEvent = Type.Object({
  event_type: Type.String({ examples: ['HandoffAttempted'] }),
  at: Time,
  payload: Type.Object(
    { status: Type.Enum(STATUSES), cycle: Type.Integer(), attempt: Type.Integer() },
    { additionalProperties: true, description: 'Other fields depend on the event type.' },
  ),
})
export type TimelineEvent = Static<typeof TimelineEvent>

/** The newest part of a timeline, and how to get the rest. */
const Timeline = {
  events: Type.Array(TimelineEvent, { description: 'Oldest first.' }),
  events_total: Type.Integer({ description: 'How many events the message has.', examples: [5] }),
  events_next_cursor: nullable(
    Type.String({ description: 'For earlier events, as `events_cursor`; null if there are none.' }),
  ),
}

/** A message with its timeline. */
export const MessageStatus = Type.Object({ ...MessageRow.properties, ...Timeline })
export type MessageStatus = Static<typeof MessageStatus>

export const MessageDetails = Type.Object({
  ...MessageRow.properties,
  account_id: Type.String(),
  trace_id: Type.String(),
  http_request_id: nullable(HttpRequestId),
  sender_id: nullable(Type.String({ description: 'For email, the From address.' })),
  subject: nullable(
    Type.String({ description: 'The subject of an email; null for one-time codes and after erasure.' }),
  ),
  metadata: Type.Record(Type.String(), Type.String()),
  callback_url: nullable(Type.String()),
  expires_at: nullable(Time),
  route_id: nullable(Type.String()),
  operator_id: nullable(Type.String()),
  due_at: nullable(Time),
  handed_off_at: nullable(Time),
  ended_at: nullable(Time),
  ...Timeline,
})
export type MessageDetails = Static<typeof MessageDetails>
