/** The schemas of webhook attempts and test events. */
import { type Static, Type } from 'typebox'
import { hasSucceeded, messageOf, type WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import { WEBHOOK_EVENT_TYPES } from '../../domain/webhooks/endpoint.ts'
import { KEPT_BODY_BYTES, type KeptBody } from '../../domain/webhooks/kept-text.ts'
import { toIso } from '../../lib/time.ts'
import { isoOrNull, MessageIdText, namedObject, nullable, Time } from '../http/schemas.ts'

const EventType = Type.Enum([...WEBHOOK_EVENT_TYPES], { title: 'WebhookEventType' })
const Duration = Type.Integer({ description: 'How long the call took.', examples: [182] })

export const WebhookAttemptView = namedObject('WebhookAttempt', {
  id: Type.String({ format: 'uuid', examples: ['0192f3a1-7c1e-7abc-8def-0123456789ab'] }),
  endpoint_id: Type.String({ description: '`callback` is the `callback_url` of the message.', examples: ['orders'] }),
  url: Type.String({
    description: 'The URL that was called; its query is hidden.',
    examples: ['https://acme.example/hooks/pombo?***'],
  }),
  message_id: nullable(Type.Unsafe<string>({ ...MessageIdText, description: 'Null for an alert and a test event.' })),
  alert_id: nullable(Type.Unsafe<string>({ ...MessageIdText, description: 'Null for a message and a test event.' })),
  test: Type.Boolean({ description: 'Whether it was a test event.' }),
  event_type: EventType,
  webhook_id: Type.String({ description: 'The header `webhook-id`.' }),
  state: Type.Enum(['delivered', 'failed'], {
    title: 'WebhookAttemptState',
    description: '`delivered`: it was answered with 2xx.',
  }),
  status: nullable(Type.Integer({ description: 'The HTTP status; null if there was no response.', examples: [500] })),
  error: nullable(
    Type.String({
      description: 'Why there was no response.',
      examples: ['the server did not answer in time'],
    }),
  ),
  attempted_at: Time,
  duration_ms: Duration,
  next_attempt_at: nullable(
    Type.Unsafe<string>({
      ...Time,
      description:
        'When the event was to be attempted again, as planned after this attempt. The `due_at` of the delivery is what applies now.',
    }),
  ),
})

const Headers = Type.Record(Type.String(), Type.String(), {
  description: 'Values that may be secret, such as signatures, cookies and tokens, are `***`.',
})

export const WebhookAttemptBody = namedObject('WebhookAttemptBody', {
  text: nullable(Type.String({ description: 'The first 4 KB, without control characters. Null if it is binary.' })),
  bytes: Type.Integer({ description: 'The size. Of a response, at most 64 KB are read.', examples: [612] }),
  truncated: Type.Boolean({ description: `Whether it has more than ${KEPT_BODY_BYTES} bytes.` }),
})

export const WebhookAttemptDetails = namedObject('WebhookAttemptDetails', {
  ...WebhookAttemptView.properties,
  request: namedObject('WebhookAttemptRequest', { headers: Headers, body: WebhookAttemptBody }),
  response: nullable(
    namedObject(
      'WebhookAttemptResponse',
      { status: Type.Integer(), headers: Headers, body: WebhookAttemptBody },
      { description: 'What the server answered. Treat it as untrusted text. Null if there was no response.' },
    ),
  ),
})

export const TestEvent = namedObject(
  'TestEndpointRequest',
  {
    event: Type.Optional(
      Type.Enum([...WEBHOOK_EVENT_TYPES], {
        title: 'WebhookEventType',
        description: 'An event type that the endpoint subscribes to. By default the first one.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ event: 'message.delivered' }] },
)

export function toAttemptView(attempt: WebhookAttempt): Static<typeof WebhookAttemptView> {
  const { subjectId, event, request, response } = attempt
  const messageId = messageOf(attempt)
  return {
    id: attempt.id,
    endpoint_id: attempt.endpointId,
    url: request.url,
    message_id: messageId ?? null,
    alert_id: messageId === undefined ? (subjectId ?? null) : null,
    test: subjectId === undefined,
    event_type: event.type,
    webhook_id: event.id,
    state: hasSucceeded(attempt) ? 'delivered' : 'failed',
    status: response?.status ?? null,
    error: attempt.error ?? null,
    attempted_at: toIso(attempt.at),
    duration_ms: attempt.duration,
    next_attempt_at: isoOrNull(attempt.nextAt),
  }
}

export function toAttemptDetails(attempt: WebhookAttempt): Static<typeof WebhookAttemptDetails> {
  const { request, response } = attempt
  return {
    ...toAttemptView(attempt),
    request: { headers: { ...request.headers }, body: toBodyView(request.body) },
    response:
      response === undefined
        ? null
        : { status: response.status, headers: { ...response.headers }, body: toBodyView(response.body) },
  }
}

const toBodyView = ({ text, bytes, isTruncated }: KeptBody): Static<typeof WebhookAttemptBody> => ({
  text: text ?? null,
  bytes,
  truncated: isTruncated,
})
