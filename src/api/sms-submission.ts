/** What a caller says to send one SMS, alone or in a batch, and how it becomes something to accept. */
import { type Static, Type } from 'typebox'
import type { Validator } from 'typebox/compile'
import { Check } from 'typebox/value'
import type { TraceId } from '../domain/ids.ts'
import { type FieldProblem, parseSmsRequest } from '../domain/sms-request.ts'
import type { Submission } from '../flows/accept.ts'
import type { Caller } from './context.ts'
import { IdempotencyKey, parseIdempotencyKey } from './idempotency-key.ts'
import { refuseFields, toProblems } from './validation.ts'

const Tag = Type.String({ minLength: 1, maxLength: 64 })
const Metadata = Type.Record(Type.String({ pattern: '^[\\s\\S]{1,64}$' }), Type.String({ maxLength: 512 }), {
  description: 'Up to 50 values of your own, shown and searchable. Names have at most 64 characters.',
  maxProperties: 50,
  additionalProperties: false,
})

export const SmsFields = {
  to: Type.String({ description: 'A phone number in E.164.', examples: ['+5511987654321'] }),
  message: Type.String({ description: '1 to 1600 characters.', examples: ['Your parcel is on its way.'] }),
  idempotency_key: Type.Optional(IdempotencyKey),
  sender_id: Type.Optional(Type.String({ description: '1 to 20 characters.', examples: ['Acme'] })),
  type: Type.Optional(Type.Enum(['sms', 'flash_sms'], { description: '`sms` unless said otherwise.' })),
  lane: Type.Optional(Type.Enum(['transactional', 'bulk'], { description: '`transactional` goes before `bulk`.' })),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Type.Array(Tag, { maxItems: 20 })),
  expires_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'The message is not sent after this time.' }),
  ),
  callback_url: Type.Optional(Type.String({ description: 'An http or https URL.', maxLength: 2048 })),
}

export const SmsSend = Type.Object(SmsFields, {
  additionalProperties: false,
  examples: [{ to: '+5511987654321', message: 'Your parcel is on its way.', idempotency_key: 'order-1138-shipped' }],
})
export type SmsSend = Static<typeof SmsSend>

export type SubmissionDeps = Readonly<{ maxParts: number }>

/** The schema of an SMS, or of more than that. */
export type SmsSchema = Pick<Validator, 'Errors'> & Readonly<{ Check(body: unknown): body is SmsSend }>

/** What a submission is made from. `schema` is that of the body; `key` is the header, where there can be one. */
export type Submitted = Readonly<{
  caller: Caller
  schema: SmsSchema
  body: unknown
  key?: string | undefined
  traceId: TraceId
}>

export function toSubmission(deps: SubmissionDeps, submitted: Submitted): Submission {
  const { schema, body, traceId } = submitted
  if (!schema.Check(body)) throw refuseFields(allProblems(deps, submitted))
  const sms = parseSmsRequest(body, deps.maxParts)
  const idempotencyKey = parseIdempotencyKey(submitted.key, body.idempotency_key)
  if (sms.kind === 'bad' || typeof idempotencyKey !== 'string' || !isWebUrl(body.callback_url)) {
    throw refuseFields(allProblems(deps, submitted))
  }
  const { tenantId, accountId } = submitted.caller
  const { content, segmentation } = sms
  return { tenantId, accountId, lane: body.lane ?? 'transactional', content, segmentation, idempotencyKey, traceId }
}

/** Each bad field once: by its type if that is wrong already, and otherwise by what it says. */
function allProblems({ maxParts }: SubmissionDeps, { schema, body, key }: Submitted): readonly FieldProblem[] {
  const byType = toProblems(schema, body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return byType

  const sound = Object.fromEntries(Object.entries(body).filter(hasItsType))
  const sms = parseSmsRequest({ to: '', message: '', ...sound }, maxParts)
  const idempotencyKey = parseIdempotencyKey(key, sound['idempotency_key'])
  const byMeaning = [
    ...(sms.kind === 'bad' ? sms.problems.map(toPointer) : []),
    ...(typeof idempotencyKey === 'string' ? [] : [idempotencyKey]),
    ...(isWebUrl(sound['callback_url']) ? [] : [BAD_URL]),
  ]
  const named = new Set(byType.map(fieldOf))
  return [...byType, ...byMeaning.filter((problem) => !named.has(fieldOf(problem)))]
}

/** Asked of each field again, because of a hopeless body not every problem is told. */
const hasItsType = ([name, value]: [string, unknown]): boolean =>
  Object.entries(SmsFields).some(([known, schema]) => known === name && Check(schema, value))

const fieldOf = ({ path }: FieldProblem): string | undefined => path.split('/')[1]
const toPointer = ({ path, message }: FieldProblem): FieldProblem => ({ path: `/${path}`, message })

const BAD_URL: FieldProblem = { path: '/callback_url', message: 'must be an http or https URL' }

/** What URL parsing would repair in silence, such as spaces and control characters, is refused. */
const isWebUrl = (text: string | undefined): boolean =>
  text === undefined || (/^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(text) && URL.canParse(text))
