/** The schemas of the integration events, by name. They are public: docs/events has them as JSON Schema. */
import { type TSchema, Type } from 'typebox'
import { CHANNELS, KINDS, LANES } from '../../domain/message/message.ts'
import { SMS_OUTBOUND } from '../../domain/message/sms-outbound.ts'
import { STATUSES } from '../../domain/message/states.ts'
import { MessageIdText, nullable, Time } from '../http/schemas.ts'

const common = {
  messageId: MessageIdText,
  tenantId: Type.String({ examples: ['acme'] }),
  accountId: Type.String({ examples: ['default'] }),
  at: Time,
}

const event = (description: string, fields: Record<string, TSchema>): TSchema =>
  Type.Object({ ...common, ...fields }, { additionalProperties: false, description })

const closed = (fields: Record<string, TSchema>) => Type.Object(fields, { additionalProperties: false })

/** The same for every channel, which begins the name. */
const SCHEMAS: Readonly<Record<string, TSchema>> = {
  'events.status.v1': event('The status of a message changed.', {
    previousStatus: nullable(Type.Enum(STATUSES, { description: 'Null for a new message.' })),
    newStatus: Type.Enum(STATUSES),
  }),
  'outbound.retry.v1': event('An attempt failed and will be retried.', {
    attempt: Type.Integer({ minimum: 1, description: 'The attempt that failed.' }),
    reason: Type.String({ description: 'An error code.', examples: ['TIMEOUT'] }),
    dueAt: Time,
  }),
  'outbound.deadletter.v1': event('A message failed after its last attempt, or could not be attempted in time.', {
    failureReason: Type.String({ description: 'An error code.', examples: ['TIMEOUT'] }),
    attemptCount: Type.Integer({ minimum: 0 }),
    failedAt: Time,
    lastError: closed({
      code: Type.String({ examples: ['TIMEOUT'] }),
      originalCode: nullable(Type.String({ description: "The provider's own code." })),
      detail: Type.String(),
    }),
    outcomeUnknown: Type.Boolean({ description: 'The provider may have the message: a replay may send it twice.' }),
    message: closed({
      type: Type.Enum(KINDS),
      lane: Type.Enum(LANES),
      segmentCount: Type.Integer({ minimum: 1, description: 'The number of SMS segments; 1 for email.' }),
      encoding: Type.Enum(['gsm7', 'ucs2', 'mime']),
      cycle: Type.Integer({ minimum: 1 }),
      provider: nullable(Type.String()),
      operatorId: nullable(Type.String()),
      routeId: nullable(Type.String()),
      enqueuedAt: Time,
      expiresAt: nullable(Time),
      traceId: Type.String(),
      httpRequestId: nullable(Type.String({ description: 'The `X-Request-Id` of the call that created it.' })),
      href: Type.String({
        description:
          'The message with its timeline, masked recipient, metadata and tags, relative to the URL of the gateway.',
      }),
    }),
    content: nullable(
      closed({
        href: Type.String({
          description:
            'Recipient, sender, texts, metadata and template; needs the scope `content:read`. There is none for one-time codes and after erasure.',
        }),
      }),
    ),
  }),
}

export const EVENT_SCHEMAS: Readonly<Record<string, TSchema>> = Object.fromEntries(
  CHANNELS.flatMap((channel) => Object.entries(SCHEMAS).map(([name, schema]) => [`${channel}.${name}`, schema])),
)

export const EVENT_NAMES = Object.keys(EVENT_SCHEMAS)

/** Of what only sinks publish. */
export const SINK_SCHEMAS: Readonly<Record<string, TSchema>> = {
  [SMS_OUTBOUND]: Type.Object(
    {
      userId: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, examples: [101] }),
      message: Type.String({ description: 'The text.', examples: ['Hello World'] }),
    },
    { additionalProperties: false, description: 'A text was sent to a user.' },
  ),
}

export const toSchemaFile = (name: string, schema: TSchema): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:pombo:event:${name}`,
  title: name,
  ...schema,
})
