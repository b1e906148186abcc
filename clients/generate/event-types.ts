/**
 * The types of what is streamed and POSTed. The schemas of integration events and alerts are in docs/events; what a
 * webhook carries about a message is described here, and a test compares it with a delivery.
 */
import type { Documents, JsonSchema } from './document.ts'
import { type NamedShape, toShape } from './shapes.ts'
import { toPascalCase } from './words.ts'

/** The name of an event, and of the type of its data. */
export type EventType = Readonly<{ event: string; type: string }>

export type EventTypes = Readonly<{
  shapes: readonly NamedShape[]
  streamed: readonly EventType[]
  posted: readonly EventType[]
}>

const TEXT: JsonSchema = { type: 'string' }
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })
const component = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const MESSAGE_FIELDS: Readonly<Record<string, JsonSchema>> = {
  message_id: TEXT,
  status: component('MessageStatus'),
  previous_status: orNull(component('MessageStatus')),
  channel: component('Channel'),
  type: component('MessageType'),
  to: orNull({ ...TEXT, description: 'Masked; null after erasure.' }),
  provider: orNull(TEXT),
  provider_message_id: orNull(TEXT),
  error_code: orNull(TEXT),
  error_detail: orNull(TEXT),
  attempts: { type: 'integer' },
  cycle: { type: 'integer', description: 'Starts at 1; every resend and replay adds one.' },
  segments: { type: 'integer', description: 'The number of SMS segments; 1 for email.' },
  metadata: { type: 'object', additionalProperties: TEXT },
  tags: { type: 'array', items: TEXT },
  created_at: TEXT,
  occurred_at: { ...TEXT, description: 'When the status changed.' },
}

const MESSAGE_DATA: NamedShape = {
  name: 'WebhookMessage',
  description: 'What a webhook tells about a message: how it was when the event happened.',
  shape: toShape(
    { type: 'object', properties: MESSAGE_FIELDS, required: Object.keys(MESSAGE_FIELDS) },
    'WebhookMessage',
  ),
}

export function toEventTypes({ api, events }: Documents): EventTypes {
  const streamed = enumOf(api.components.schemas['EventName'])
  const posted = enumOf(api.components.schemas['WebhookEventType'])
  const alerts = posted.filter((event) => !isOfMessage(event))
  return {
    shapes: [
      MESSAGE_DATA,
      ...streamed.map((event) => toNamed(event, events[event] ?? {}, events[event])),
      ...alerts.map((event) => toNamed(event, events[event] ?? {}, events[event]?.properties?.['data'])),
    ],
    streamed: streamed.map((event) => ({ event, type: toTypeName(event) })),
    posted: posted.map((event) => ({ event, type: isOfMessage(event) ? MESSAGE_DATA.name : toTypeName(event) })),
  }
}

const isOfMessage = (event: string): boolean => event.startsWith('message.')
const enumOf = (schema: JsonSchema | undefined): readonly string[] => (schema?.enum ?? []).map(String)
const toTypeName = (event: string): string => `${toPascalCase(event)}Data`

function toNamed(event: string, { description }: JsonSchema, data: JsonSchema | undefined): NamedShape {
  if (data === undefined) throw new Error(`the event ${event} has no schema in docs/events`)
  return { name: toTypeName(event), shape: toShape(data, event), description }
}
