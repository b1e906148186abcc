/**
 * The schema of every line of the log: docs/log-line.schema.json. Lines about an event of a message have the field
 * `event`. No line has a body, a code, or a whole phone number or address.
 */
import { type TSchema, Type } from 'typebox'
import { EMAIL_STATES } from '../domain/email/pipeline.ts'
import { CHANNELS } from '../domain/message/message.ts'
import { STATUSES } from '../domain/message/states.ts'
import { LEVELS } from './event-logger.ts'

const text = (description: string) => Type.String({ description })
const whole = (description: string) => Type.Integer({ description, minimum: 0 })
const optional = (fields: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]))

const BASE = {
  level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
  time: Type.String({ format: 'date-time' }),
  msg: text('What happened. On a line about a message, its event.'),
}

const IDS = {
  trace_id: Type.String({ description: 'The W3C trace, also in `X-Trace-Id`.', pattern: '^[0-9a-f]{32}$' }),
  http_request_id: text('The `X-Request-Id` of a call; of an event, that of the call that created the message.'),
  tenant_id: text('The tenant.'),
  message_id: Type.String({ description: 'The message.', format: 'uuid' }),
  attempt_id: Type.String({ description: 'Our reference at the provider.', pattern: '^[0-9a-f]{64}$' }),
  provider_message_id: text("The provider's id of the message."),
  provider: text('The name of the provider.'),
  error_code: text('See docs/errors.md.'),
}

const { trace_id, tenant_id, message_id, ...maybe } = IDS

const MessageLine = Type.Object(
  {
    ...BASE,
    trace_id,
    tenant_id,
    message_id,
    ...optional(maybe),
    seq: Type.Integer({ description: 'The position of the event in the log.', minimum: 1 }),
    event: Type.Enum(Object.keys(LEVELS), { description: 'The event.' }),
    status: Type.Enum([...STATUSES], { description: 'The status of the message after the event.' }),
    state: Type.Optional(Type.Enum([...EMAIL_STATES], { description: 'Of an email: its state after the event.' })),
    channel: Type.Enum([...CHANNELS]),
    cycle: Type.Integer({ description: 'Counts resends, from 1.', minimum: 1 }),
    attempt: whole('The attempt that the event belongs to; 0 before the first.'),
    duration_ms: Type.Number({ description: 'Since the message was created.' }),
  },
  { additionalProperties: false, description: 'An event of a message.' },
)

/** What other lines may have besides the ids. */
const FIELDS = {
  err: Type.Object(
    { type: Type.String(), message: Type.String(), stack: Type.String() },
    { description: 'An unexpected error.' },
  ),
  reason: text('Why it happened.'),
  account_id: text('The account.'),
  api_key_id: text('The API key of the call.'),
  endpoint_id: text('The webhook endpoint.'),
  erasure_id: text('The erasure.'),
  method: text('The HTTP method of the call.'),
  route: text('The route of the call, without its parameters.'),
  status: whole('Of a call, its HTTP status; of a bind, the SMPP command status.'),
  ms: Type.Number({ description: 'How long the call took.' }),
  client: text('The address of who tried to sign in.'),
  action: text('What an operator did.'),
  target: Type.Unknown({ description: 'What it was done to.' }),
  replayed: Type.Boolean({ description: 'The call repeated an earlier one.' }),
  otp_status: text('The result of a check of a one-time code.'),
  state: text("The provider's report."),
  providers: Type.Array(Type.String(), { description: 'Those that a callback may have come from.' }),
  breaker: text('The state of the circuit breaker.'),
  breaker_before: text('Its state before.'),
  consecutive_failures: whole('How many calls have failed in a row.'),
  forced: Type.Boolean({ description: 'By an operator.' }),
  quota: text('The quota.'),
  limit: Type.Number({ description: 'What the tenant may use.' }),
  used: Type.Number({ description: 'What the tenant uses.' }),
  count: whole('How many.'),
  messages: whole('How many messages.'),
  copies: whole('How many copies of a mail.'),
  erased: whole('How many messages were erased.'),
  failed: whole('How many were not.'),
  events: whole('How many events are done.'),
  of: whole('How many there are.'),
  behind_seconds: Type.Number({ description: 'By how much the clock was set back.' }),
  code: Type.Union([Type.String(), Type.Integer()], {
    description: 'An error code of the carrier, or the schema version of this release.',
  }),
  detail: text('What the error code means.'),
  database: whole('The schema version of the database.'),
  oldestCompatible: whole('The oldest schema version whose releases can work on the database.'),
  wanted: whole('How many SMPP sessions there should be.'),
  up: whole('How many are up.'),
  port: whole('A port that the gateway listens on.'),
  valid_to: Type.String({ description: 'When a certificate expires.', format: 'date-time' }),
  topic: text('An SNS topic.'),
  file: text('A file of the gateway.'),
  mode: text('Its permissions; of an alert, whether it is about live or test mode.'),
  callback: text('The origin of a callback URL.'),
  sink: text('Where integration events are published.'),
  kind: text('The kind of the sink.'),
  after_seconds: whole('How long it was unavailable.'),
  opened_at: Type.String({ description: 'Since when the circuit breaker is open.', format: 'date-time' }),
  success_rate: Type.Number({ description: 'The share of recent calls that succeeded.' }),
  usual_rate: Type.Number({ description: 'The share that usually does.' }),
  results: whole('How many calls that is.'),
  threshold: whole('From how many on there is an alert.'),
  period_seconds: Type.Number({ description: 'In how much time.' }),
}

const OtherLine = Type.Object(
  { ...BASE, ...optional(IDS), ...optional(FIELDS) },
  { additionalProperties: false, description: 'Anything else. A line about a call has its ids.' },
)

export const LOG_LINE = Type.Union([MessageLine, OtherLine], {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:pombo:log-line',
  title: 'A line of the log',
})
