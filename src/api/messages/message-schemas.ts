/** The schemas of messages in responses. */
import { type Static, Type } from 'typebox'
import { ERROR_CATEGORIES } from '../../domain/message/error-category.ts'
import { Enums } from '../http/enums.ts'
import { HttpRequestId, MessageIdText, namedObject, nullable, Time } from '../http/schemas.ts'

export const BatchIdText = Type.String({
  description: 'At most 64 letters, digits and _ -',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  examples: ['orders-2030-01-31'],
})

/** A message in a list: its latest state, with the recipient masked. */
export const MessageRow = namedObject('Message', {
  id: MessageIdText,
  status: Enums.MessageStatus(),
  handoff_state: Enums.HandoffState(),
  provider_state: Enums.ProviderState(),
  to: nullable(Type.String({ description: 'Masked; null after erasure.', examples: ['+*******4321'] })),
  country: nullable(
    Type.String({
      description:
        'The country of the phone number, as in ISO 3166-1. Null for email, for numbers of no country, and in messages of releases that did not keep it.',
      examples: ['BR'],
    }),
  ),
  calling_code: nullable(
    Type.String({ description: 'The calling code of that country, without the plus sign.', examples: ['55'] }),
  ),
  provider: nullable(Type.String()),
  provider_message_id: nullable(Type.String()),
  error_code: nullable(Type.String()),
  error_detail: nullable(Type.String()),
  attempts: Type.Integer(),
  cycle: Type.Integer({ description: 'Starts at 1; every resend and replay adds one.' }),
  segments: Type.Integer({ description: 'The number of SMS segments; 1 for email.' }),
  encoding: Enums.Encoding({ description: '`mime` for email.' }),
  channel: Enums.Channel(),
  type: Enums.MessageType(),
  lane: Enums.Lane(),
  tags: Type.Array(Type.String()),
  subject: nullable(
    Type.String({ description: 'The subject of an email; null for one-time codes and after erasure.' }),
  ),
  template: nullable(
    Type.String({ description: 'The name of the template. Null in messages of releases that did not keep it.' }),
  ),
  batch_id: nullable(Type.String({ description: 'The batch in which the message was sent first.' })),
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

export const TimelineEvent = namedObject('MessageEvent', {
  event_type: Type.String({ examples: ['HandoffAttempted'] }),
  at: Time,
  payload: namedObject(
    'MessageEventPayload',
    { status: Enums.MessageStatus(), cycle: Type.Integer(), attempt: Type.Integer() },
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

/** The error of a message, explained. */
export const MessageError = namedObject('MessageError', {
  code: Type.String({ description: 'The same as `error_code`.', examples: ['NUMBER_BLOCKED'] }),
  detail: nullable(Type.String({ description: 'What happened to this message; the same as `error_detail`.' })),
  category: Type.Enum(ERROR_CATEGORIES, { title: 'ErrorCategory' }),
  meaning: Type.String({
    description: 'What the code means.',
    examples: ['The number is blocked by the recipient or their carrier.'],
  }),
  advice: Type.String({
    description: 'What the sender can do.',
    examples: ['Do not retry. Reach the recipient another way, or ask them to unblock you.'],
  }),
})
export type MessageError = Static<typeof MessageError>

export const MessageDetails = namedObject('MessageDetails', {
  ...MessageRow.properties,
  error: nullable(MessageError),
  account_id: Type.String(),
  trace_id: Type.String(),
  http_request_id: nullable(HttpRequestId),
  sender_id: nullable(Type.String({ description: 'For email, the From address.' })),
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
