/** What a caller says to send one SMS, alone or in a batch, and how it becomes something to accept. */
import { type Static, Type } from 'typebox'
import type { Validator } from 'typebox/compile'
import { Check } from 'typebox/value'
import { urlProblem } from '../domain/endpoint-request.ts'
import type { TraceId } from '../domain/ids.ts'
import type { PhoneNumber } from '../domain/phone-number.ts'
import { parseSmsNames } from '../domain/sms-names.ts'
import { type Composed, type FieldProblem, parseSmsRequest } from '../domain/sms-request.ts'
import { type AcceptDeps, findEarlier, type Submission } from '../flows/accept.ts'
import { type ComposeDeps, compose } from '../flows/compose.ts'
import type { Caller } from './context.ts'
import { ExternalId, Locale, TemplateData, TemplateName } from './directory-schemas.ts'
import { IdempotencyKey, parseIdempotencyKey } from './idempotency-key.ts'
import { refuseFields, toProblems } from './validation.ts'

const Tag = Type.String({ minLength: 1, maxLength: 64 })
const Metadata = Type.Record(Type.String({ pattern: '^[\\s\\S]{1,64}$' }), Type.String({ maxLength: 512 }), {
  description: 'Up to 50 values of your own, shown and searchable. Names have at most 64 characters.',
  maxProperties: 50,
  additionalProperties: false,
})
const NamedTemplate = Type.Object(
  { name: TemplateName, data: Type.Optional(TemplateData), locale: Type.Optional(Locale) },
  {
    additionalProperties: false,
    description:
      "In place of `message`: a template, filled in. Without a locale it is the recipient's, if the directory knows it.",
  },
)

export const SmsFields = {
  to: Type.Optional(Type.String({ description: 'A phone number in E.164.', examples: ['+5511987654321'] })),
  recipient_id: Type.Optional(
    Type.String({ description: 'In place of `to`: whoever has this id in the directory.', maxLength: 36 }),
  ),
  recipient_external_id: Type.Optional(
    Type.String({ ...ExternalId, description: 'In place of `to`: whoever has this external id in the directory.' }),
  ),
  message: Type.Optional(
    Type.String({ description: '1 to 1600 characters.', examples: ['Your parcel is on its way.'] }),
  ),
  template: Type.Optional(NamedTemplate),
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
  examples: [
    { to: '+5511987654321', message: 'Your parcel is on its way.', idempotency_key: 'order-1138-shipped' },
    {
      recipient_external_id: 'user-42',
      template: { name: 'order-shipped', data: { order: 1138 } },
      idempotency_key: 'order-1138-shipped',
    },
  ],
})
export type SmsSend = Static<typeof SmsSend>

export type SubmissionDeps = AcceptDeps & ComposeDeps & Readonly<{ maxParts: number }>

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

/** Waits only where a recipient or a template is to be looked up. */
export function toSubmission(deps: SubmissionDeps, submitted: Submitted): Submission | Promise<Submission> {
  if (isNaming(submitted.body)) return toComposed(deps, submitted, submitted.body)
  const submission = read(deps, submitted)
  if (submission === undefined) throw refuseFields(allProblems(deps, submitted))
  return submission
}

const isNaming = (body: unknown): body is object =>
  typeof body === 'object' &&
  body !== null &&
  ('template' in body || 'recipient_id' in body || 'recipient_external_id' in body)

async function toComposed(deps: SubmissionDeps, submitted: Submitted, body: object): Promise<Submission> {
  const { names, problems } = parseSmsNames(soundOf(body))
  const found = await compose(deps, submitted.caller.tenantId, names)
  const composed = { ...found, problems: [...problems, ...found.problems] }
  const isLost = problems.length === 0 && found.problems.length > 0
  const submission = isLost ? await findRepeated(deps, submitted, composed) : read(deps, submitted, composed)
  if (submission === undefined) throw refuseFields(allProblems(deps, submitted, composed))
  return submission
}

/** Stands where nothing was found; what callers ask for is told by the names alone. */
const STAND_IN = { to: '+10' as PhoneNumber, text: 'text' }

/**
 * A recipient or a template may be gone by now, or need more than it was given at first: a call that repeats an
 * earlier one gets its first answer all the same. It then is for what the first one was for.
 */
async function findRepeated(
  deps: SubmissionDeps,
  submitted: Submitted,
  composed: Composed,
): Promise<Submission | undefined> {
  const asked = read(deps, submitted, { ...STAND_IN, ...composed, problems: [] })
  const earlier = asked && (await findEarlier(deps, asked))
  const content = earlier && (await deps.log.load(earlier.id))?.content
  return asked && content && { ...asked, content }
}

/** Undefined when anything is wrong. */
function read(deps: SubmissionDeps, submitted: Submitted, composed?: Composed): Submission | undefined {
  const { schema, body, traceId } = submitted
  if (!schema.Check(body)) return undefined
  const sms = parseSmsRequest(body, deps.maxParts, composed)
  const idempotencyKey = parseIdempotencyKey(submitted.key, body.idempotency_key)
  if (sms.kind === 'bad' || typeof idempotencyKey !== 'string' || callbackProblem(body) !== undefined) return undefined
  const { tenantId, accountId } = submitted.caller
  const { content, segmentation } = sms
  const lane = body.lane ?? 'transactional'
  const user = composed?.user
  const submission = { tenantId, accountId, lane, content, segmentation, idempotencyKey, traceId }
  return user === undefined ? submission : { ...submission, user }
}

/** Each bad field once: by its type if that is wrong already, and otherwise by what it says. */
function allProblems(
  { maxParts }: SubmissionDeps,
  { schema, body, key }: Submitted,
  composed?: Composed,
): readonly FieldProblem[] {
  const byType = toProblems(schema, body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return byType

  const sound = soundOf(body)
  const garbled = Object.fromEntries(Object.entries(GARBLED).filter(([name]) => name in body))
  const sms = parseSmsRequest({ ...garbled, ...sound }, maxParts, composed)
  const idempotencyKey = parseIdempotencyKey(key, sound.idempotency_key)
  const byMeaning = [
    ...(sms.kind === 'bad' ? sms.problems.map(toPointer) : []),
    ...(typeof idempotencyKey === 'string' ? [] : [idempotencyKey]),
    ...(callbackProblem(sound) ?? []),
  ]
  const named = new Set(byType.map(fieldOf))
  const others = byMeaning.filter((problem) => !named.has(fieldOf(problem)))
  return [...byType, ...new Map(others.map((problem) => [problem.path, problem])).values()]
}

/** What stands for a field without its type: it was said all the same, so nothing else is needed in its place. */
const GARBLED = { to: '', message: '', recipient_id: '', recipient_external_id: '', template: { name: '' } }

/** The fields that have their types. Asked of each again, because of a hopeless body not every problem is told. */
const soundOf = (body: object): Partial<SmsSend> => Object.fromEntries(Object.entries(body).filter(hasItsType))

const hasItsType = ([name, value]: [string, unknown]): boolean =>
  Object.entries(SmsFields).some(([known, schema]) => known === name && Check(schema, value))

const fieldOf = ({ path }: FieldProblem): string | undefined => path.split('/')[1]
const toPointer = ({ path, message }: FieldProblem): FieldProblem => ({ path: `/${path}`, message })

function callbackProblem({ callback_url: url }: Pick<SmsSend, 'callback_url'>): readonly FieldProblem[] | undefined {
  const message = url === undefined ? undefined : urlProblem(url)
  return message === undefined ? undefined : [{ path: '/callback_url', message }]
}
