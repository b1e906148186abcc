/** The request and the report of a preflight. */
import { type Static, Type } from 'typebox'
import { CHECKS } from '../../domain/message/events.ts'
import { NUMBER_TYPES } from '../../domain/message/number-plan.ts'
import { Enums } from '../http/enums.ts'
import { IdempotencyKey } from '../http/idempotency-key.ts'
import { BatchItemError, MessageIdText, namedObject, nullable } from '../http/schemas.ts'
import { LaneDepth } from '../operations/queue.ts'
import { EmailFields } from '../send/email-fields.ts'
import { GenerateFields } from '../send/otp-request.ts'
import { SmsFields } from '../send/sms.ts'
import { LimitStanding, ProviderStandingView, QuotaStanding, timeOf } from './standing-schemas.ts'

const key = { idempotency_key: Type.Optional(IdempotencyKey) }
const closed = { additionalProperties: false }
const MESSAGE = Type.Optional(Type.Enum(['message'], { title: 'PreflightMessageKind' }))

export const PreflightSms = namedObject(
  'PreflightSms',
  { kind: MESSAGE, channel: Type.Optional(Type.Enum(['sms'])), ...SmsFields, ...key },
  closed,
)
export const PreflightEmail = namedObject(
  'PreflightEmail',
  { kind: MESSAGE, channel: Type.Enum(['email']), ...EmailFields, ...key },
  closed,
)
export const PreflightOtp = namedObject(
  'PreflightOtp',
  {
    kind: Type.Enum(['otp'], { title: 'PreflightOtpKind', examples: ['otp'] }),
    ...GenerateFields,
    ...key,
  },
  closed,
)

const Finding = namedObject('PreflightFinding', {
  path: Type.String({ description: 'A JSON pointer to the field; empty for the whole request.', examples: ['/to'] }),
  message: Type.String({ examples: ['is suppressed'] }),
  code: Type.String({ description: 'The error code of the refusal or of the check.', examples: ['VALIDATION_ERROR'] }),
})
export type Finding = Static<typeof Finding>

const Recipient = namedObject('PreflightRecipient', {
  kind: Type.Enum(['phone', 'email', 'user'], { title: 'RecipientAddressKind' }),
  country: nullable(
    Type.String({ description: 'ISO 3166-1 alpha-2, by which messages are counted.', examples: ['BR'] }),
  ),
  number_type: nullable(
    Type.Enum(NUMBER_TYPES, { title: 'PhoneNumberType', description: 'Null where the number plan does not tell.' }),
  ),
  suppressed: Type.Boolean({ description: 'Whether a recipient of the email is suppressed, also one of a copy.' }),
  recipient_id: nullable(Type.String({ description: 'The directory entry, if the request names one.' })),
})

const Sms = namedObject('PreflightSmsForm', {
  encoding: Enums.SmsEncoding(),
  segments: Type.Integer({ examples: [1] }),
  units: Type.Integer({ description: 'Septets in GSM-7, UTF-16 units in UCS-2.', examples: [26] }),
  characters_forcing_ucs2: Type.Array(Type.String(), {
    description: 'The first ten distinct characters that are not in GSM-7.',
    examples: [['—']],
  }),
})

const Email = namedObject('PreflightEmailForm', {
  size: Type.Integer({ description: 'Html, text and attachments in bytes.', examples: [2_048] }),
  checks: Type.Array(
    namedObject('PreflightCheck', {
      check: Type.Enum(CHECKS, { title: 'MessageCheck' }),
      passed: nullable(Type.Boolean({ description: 'Null if an earlier check failed first.' })),
      detail: nullable(Type.String({ examples: ['the HTML has a script element in line 3'] })),
    }),
    { description: 'The checks that every email goes through before it is sent.' },
  ),
})

const ROUTE = 'Null if no route matches, and without the scope `messages:read`.'

const Route = namedObject('PreflightRoute', {
  id: Type.String({ examples: ['brazil'] }),
  reasons: Type.Array(Type.String(), {
    description: 'Why this route, and why not the others.',
    examples: [['its prefix +55 matches', 'default: shorter prefix than the chosen route']],
  }),
  providers: Type.Array(ProviderStandingView, { description: 'In the order in which they are tried.' }),
})

const Idempotency = namedObject('PreflightIdempotency', {
  status: Type.Enum(['new', 'replay', 'mismatch'], {
    title: 'IdempotencyStatus',
    description:
      '`new`: the key was not used in the last 48 hours. `replay`: the send would return the first response. `mismatch`: the key was used with another payload.',
  }),
  message_id: nullable(Type.Unsafe<string>({ ...MessageIdText, description: 'The message of a `replay`.' })),
})

const { error_code, status, detail, retry_after } = BatchItemError.properties

const WouldSend = namedObject('PreflightVerdict', {
  accepted: Type.Boolean({ description: 'Whether the send would be accepted now.' }),
  refusal: nullable(namedObject('PreflightRefusal', { error_code, status, detail, retry_after })),
  at: nullable(
    timeOf('When Pombo would call a provider at the earliest; null if it would not, or if that is not known.'),
  ),
  provider: nullable(Type.String({ description: 'The one that would be called first.', examples: ['twilio'] })),
  text: Type.String({ examples: ['Pombo would accept the message and send it by twilio at once.'] }),
})

export const PreflightReport = namedObject('PreflightReport', {
  valid: Type.Boolean({ description: 'Whether there are no problems.' }),
  problems: Type.Array(Finding, { description: 'Everything that keeps the message from being accepted or sent.' }),
  warnings: Type.Array(Finding, { description: 'What may go wrong although Pombo accepts it.' }),
  recipient: nullable(Recipient),
  sms: nullable(Sms),
  email: nullable(Email),
  limits: Type.Array(LimitStanding, { description: 'The rate limits that the message would count against.' }),
  quotas: nullable(Type.Array(QuotaStanding, { description: 'Null without the scope `messages:read`.' })),
  sender: nullable(
    namedObject('PreflightSender', {
      allowed: Type.Boolean(),
      reason: nullable(Type.String({ examples: ['is not among the senders of this tenant'] })),
    }),
  ),
  route: nullable(Type.Unsafe<Static<typeof Route>>({ ...Route, description: ROUTE })),
  queue: nullable(
    Type.Unsafe<Static<typeof LaneDepth>>({
      ...LaneDepth,
      description: 'The messages of the tenant in its lane. Null without the scope `messages:read`.',
    }),
  ),
  idempotency: nullable(Idempotency),
  would_send: WouldSend,
})
export type PreflightReport = Static<typeof PreflightReport>
