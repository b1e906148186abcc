/** Schemas that several resources share, and how a route's answers are written down. */
import { type Static, type TSchema, Type } from 'typebox'
import type { TraceId } from '../../domain/ids.ts'
import { CHANNELS, KINDS, LANES } from '../../domain/message/message.ts'
import { HANDOFF_STATES, PROVIDER_STATES, STATUSES } from '../../domain/message/states.ts'
import { REFUSALS, type RefusalCode, refuse } from '../../flows/errors.ts'
import { PROBLEM_TYPE, toProblem } from './problem.ts'

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Time = Type.String({ format: 'date-time', examples: ['2030-01-31T12:00:00.000Z'] })
export const RequestId = Type.String({ format: 'uuid', examples: ['3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'] })

/** A text of a query: it may be long, and must not hold what no store can compare. */
export const queryText = (description: string, maxLength = 200) =>
  Type.String({ description, minLength: 1, maxLength, pattern: '^[^\\u0000]*$' })

export const IdParams = Type.Object({ id: Type.String({ description: 'The `id` of a message.' }) })

/** A message as lists show it: its latest state, the recipient masked. */
export const MessageRow = Type.Object({
  id: RequestId,
  status: Type.Enum(STATUSES),
  handoff_state: Type.Enum(HANDOFF_STATES),
  provider_state: Type.Enum(PROVIDER_STATES),
  to: nullable(Type.String({ description: 'Masked; null after erasure.', examples: ['+*******4321'] })),
  provider: nullable(Type.String()),
  provider_message_id: nullable(Type.String()),
  error_code: nullable(Type.String()),
  error_detail: nullable(Type.String()),
  attempts: Type.Integer(),
  cycle: Type.Integer({ description: 'Grows with every resend and replay.' }),
  segments: Type.Integer({ description: 'How many parts of an SMS; an email is one.' }),
  encoding: Type.Enum(['gsm7', 'ucs2', 'mime'], { description: '`mime` for email.' }),
  channel: Type.Enum(CHANNELS),
  type: Type.Enum(KINDS),
  lane: Type.Enum(LANES),
  tags: Type.Array(Type.String()),
  unknown: Type.Boolean({ description: 'Whether nobody knows if the provider has the newest attempt.' }),
  dead_letter: Type.Boolean(),
  erased: Type.Boolean({
    description: 'What it says is erased. Where that is because its one-time code has ended, `to` is still shown.',
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
    { additionalProperties: true, description: 'The rest depends on the type of the event.' },
  ),
})
export type TimelineEvent = Static<typeof TimelineEvent>

/** The id of a message under the name that `/v1/sms/*`, `/v1/email/*`, `/v1/otp/*` and batches have always given it. */
export const RequestIdAlias = Type.String({ format: 'uuid', description: 'The same as `id`, for older callers.' })

/** A message with its timeline. */
export const MessageStatus = Type.Object({ ...MessageRow.properties, events: Type.Array(TimelineEvent) })
export type MessageStatus = Static<typeof MessageStatus>

export const MessageDetails = Type.Object({
  ...MessageRow.properties,
  account_id: Type.String(),
  trace_id: Type.String(),
  sender_id: nullable(Type.String({ description: 'Of an email, the address it is from.' })),
  subject: nullable(Type.String({ description: 'Of an email that carries no code; null after erasure.' })),
  metadata: Type.Record(Type.String(), Type.String()),
  callback_url: nullable(Type.String()),
  expires_at: nullable(Time),
  route_id: nullable(Type.String()),
  operator_id: nullable(Type.String()),
  due_at: nullable(Time),
  handed_off_at: nullable(Time),
  ended_at: nullable(Time),
  events: Type.Array(TimelineEvent),
})
export type MessageDetails = Static<typeof MessageDetails>

/** A message that begins a new cycle. */
export const Resent = Type.Object({
  id: RequestId,
  status: Type.Enum(STATUSES),
  cycle: Type.Integer({ examples: [2] }),
  updated_at: Time,
})
export type Resent = Static<typeof Resent>

/** Why an item of a batch was refused. */
export const Refused = Type.Object({
  type: Type.String({ format: 'uri', examples: ['urn:pombo:problem:validation-error'] }),
  title: Type.String({ examples: [REFUSALS.VALIDATION_ERROR.title] }),
  status: Type.Integer({ examples: [400] }),
  detail: Type.String({ examples: ['/to is required'] }),
  error_code: Type.Enum(Object.keys(REFUSALS) as RefusalCode[]),
  message: Type.String({ description: 'The same as `detail`.' }),
  details: Type.Optional(
    Type.Array(
      Type.Object({
        path: Type.String({ description: 'A JSON pointer to the bad field.' }),
        message: Type.String(),
        code: Type.Optional(
          Type.String({ description: 'Of the check that it would not pass.', examples: ['INVALID_TEMPLATE'] }),
        ),
      }),
    ),
  ),
  retry_after: Type.Optional(Type.Integer({ description: 'Seconds; also in the header Retry-After.' })),
})

export const Problem = Type.Object({
  ...Refused.properties,
  http_request_id: Type.String({ description: 'The id of this call, as in the header `X-Request-Id`.' }),
  trace_id: Type.String({ description: 'Also in the header X-Trace-Id.' }),
})

/** What $ref names, so that the document says each of these once. */
export const SHARED = { Message: MessageRow, MessageDetails, Problem, Refused }
export const shared = (name: keyof typeof SHARED) => ({ $ref: `${name}#` })

type Answer = Readonly<{ description: string; schema: object; example?: unknown; type?: string }>

/** The answers of a route anyone may call: the good ones, and these refusals. */
export function openAnswers(good: Readonly<Record<number, Answer>>, ...codes: RefusalCode[]) {
  const refusals = Map.groupBy(codes, (code) => REFUSALS[code].status)
  return Object.fromEntries([
    ...Object.entries(good).map(([status, answer]) => [status, toResponse(answer)]),
    ...[...refusals].map(([status, alike]) => [status, toResponse(refusalAnswer(alike))]),
  ])
}

/** The answers of a route behind a guard. */
export const answers = (good: Readonly<Record<number, Answer>>, ...codes: RefusalCode[]) =>
  openAnswers(good, ...codes, 'UNAUTHENTICATED', 'FORBIDDEN', 'UNAVAILABLE')

const NAMES = { http_request_id: '8f14e45fceea167a-2s', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' as TraceId }

/** Of refusals that share their status; the example is of the first. */
function refusalAnswer(codes: readonly RefusalCode[]): Answer {
  const [example] = codes.map((code) => toProblem(refuse(code, REFUSALS[code].title.toLowerCase()), NAMES))
  const description = codes.map((code) => `${code}: ${REFUSALS[code].title}.`).join(' ')
  return { description, schema: shared('Problem'), example, type: PROBLEM_TYPE }
}

const toResponse = ({ description, schema, example, type = 'application/json' }: Answer) => ({
  description,
  content: { [type]: { schema, ...(example === undefined ? {} : { example }) } },
})
