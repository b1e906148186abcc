/** The schemas of the integration events, by name. They are public: docs/events has them as JSON Schema. */
import { type TSchema, Type } from 'typebox'
import { CHANNELS } from '../../domain/message/message.ts'
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
  'outbound.deadletter.v1': event('A message failed after its last attempt.', {
    failureReason: Type.String({ description: 'An error code.', examples: ['TIMEOUT'] }),
    attemptCount: Type.Integer({ minimum: 1 }),
    failedAt: Time,
  }),
}

export const EVENT_SCHEMAS: Readonly<Record<string, TSchema>> = Object.fromEntries(
  CHANNELS.flatMap((channel) => Object.entries(SCHEMAS).map(([name, schema]) => [`${channel}.${name}`, schema])),
)

export const EVENT_NAMES = Object.keys(EVENT_SCHEMAS)

export const toSchemaFile = (name: string, schema: TSchema): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:pombo:event:${name}`,
  title: name,
  ...schema,
})
