/**
 * How what a caller says becomes something to accept, alone or in a batch, whatever the channel. Everything that is
 * wrong with it is told at once.
 */
import type { TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'
import { Check } from 'typebox/value'
import type { TraceId } from '../../domain/ids.ts'
import type { Content, Form } from '../../domain/message/message.ts'
import { urlProblem } from '../../domain/requests/endpoint-request.ts'
import type { Composed, FieldProblem, NameFields } from '../../domain/requests/request-fields.ts'
import { parseNames } from '../../domain/requests/request-names.ts'
import { type AcceptDeps, findEarlier, type Submission } from '../../flows/send/accept.ts'
import { type ComposeDeps, compose, type Wanted } from '../../flows/send/compose.ts'
import type { Caller } from '../http/context.ts'
import { parseIdempotencyKey } from '../http/idempotency-key.ts'
import { refuseFields, toProblems } from '../http/validation.ts'

export type SubmissionDeps = AcceptDeps & ComposeDeps & Readonly<{ maxParts: number }>

/** What is asked of the body of every call, and more by each channel. */
export type AnyBody = NameFields &
  Readonly<{ idempotency_key?: string; lane?: 'transactional' | 'bulk'; callback_url?: string }>

export type Parsed =
  | Readonly<{ kind: 'ok'; content: Content; form: Form }>
  | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

/** What sets the messages of one channel apart. */
export type Medium<Send extends AnyBody, To, Text> = Readonly<{
  fields: Readonly<Record<string, TSchema>>
  parse: (deps: SubmissionDeps, request: Send, composed?: Composed<To, Text>) => Parsed
  wanted: Wanted<To, Text>
  /** Stands where nothing was found; what callers ask for is told by the names alone. */
  standIn: Readonly<{ to: To; text: Text }>
  /** What stands for a field without its type: it was said all the same, so nothing else is needed in its place. */
  garbled: Send
}>

/** The schema of such a body, or of more than that. */
export type BodySchema<Send> = Pick<Validator, 'Errors'> & Readonly<{ Check(body: unknown): body is Send }>

/** What a submission is made from. `schema` is that of the body; `key` is the header, where there can be one. */
export type Submitted<Send> = Readonly<{
  caller: Caller
  schema: BodySchema<Send>
  body: unknown
  key?: string | undefined
  traceId: TraceId
}>

/** Waits only where a recipient or a template is to be looked up. */
export function toSubmission<Send extends AnyBody, To, Text>(
  deps: SubmissionDeps,
  medium: Medium<Send, To, Text>,
  submitted: Submitted<Send>,
): Submission | Promise<Submission> {
  if (isNaming(submitted.body)) return toComposed(deps, medium, submitted, submitted.body)
  const submission = read(deps, medium, submitted)
  if (submission === undefined) throw refuseFields(allProblems(deps, medium, submitted))
  return submission
}

const isNaming = (body: unknown): body is object =>
  typeof body === 'object' &&
  body !== null &&
  ('template' in body || 'recipient_id' in body || 'recipient_external_id' in body)

async function toComposed<Send extends AnyBody, To, Text>(
  deps: SubmissionDeps,
  medium: Medium<Send, To, Text>,
  submitted: Submitted<Send>,
  body: object,
): Promise<Submission> {
  const { names, problems } = parseNames(soundOf(medium, body))
  const found = await compose(deps, submitted.caller.tenantId, names, medium.wanted)
  const composed = { ...found, problems: [...problems, ...found.problems] }
  const submission = read(deps, medium, submitted, composed)
  if (submission !== undefined) return submission
  const repeated = problems.length === 0 ? await findRepeated(deps, medium, submitted, composed) : undefined
  if (repeated === undefined) throw refuseFields(allProblems(deps, medium, submitted, composed))
  return repeated
}

/**
 * A recipient or a template may be gone by now, need more than it was given at first, or have become what cannot be
 * sent: a call that repeats an earlier one gets its first answer all the same. It then is for what the first was for.
 */
async function findRepeated<Send extends AnyBody, To, Text>(
  deps: SubmissionDeps,
  medium: Medium<Send, To, Text>,
  submitted: Submitted<Send>,
  composed: Composed<To, Text>,
): Promise<Submission | undefined> {
  const asked = read(deps, medium, submitted, { ...composed, ...medium.standIn, problems: [] })
  const earlier = asked && (await findEarlier(deps, asked))
  const content = earlier && (await deps.log.load(earlier.id))?.content
  return asked && content && { ...asked, content }
}

/** Undefined when anything is wrong. */
function read<Send extends AnyBody, To, Text>(
  deps: SubmissionDeps,
  medium: Medium<Send, To, Text>,
  submitted: Submitted<Send>,
  composed?: Composed<To, Text>,
): Submission | undefined {
  const { schema, body, traceId } = submitted
  if (!schema.Check(body)) return undefined
  const parsed = medium.parse(deps, body, composed)
  const idempotencyKey = parseIdempotencyKey(submitted.key, body.idempotency_key)
  if (parsed.kind === 'bad' || typeof idempotencyKey !== 'string') return undefined
  if (callbackProblem(body) !== undefined) return undefined
  const { tenantId, accountId } = submitted.caller
  const { content, form } = parsed
  const lane = body.lane ?? 'transactional'
  const user = composed?.user
  const submission = { tenantId, accountId, lane, content, form, idempotencyKey, traceId }
  return user === undefined ? submission : { ...submission, user }
}

/** Each bad field once: by its type if that is wrong already, and otherwise by what it says. */
function allProblems<Send extends AnyBody, To, Text>(
  deps: SubmissionDeps,
  medium: Medium<Send, To, Text>,
  { schema, body, key }: Submitted<Send>,
  composed?: Composed<To, Text>,
): readonly FieldProblem[] {
  const byType = toProblems(schema, body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return byType

  const sound = soundOf(medium, body)
  const garbled = Object.fromEntries(Object.entries(medium.garbled).filter(([name]) => name in body))
  const parsed = medium.parse(deps, { ...garbled, ...sound }, composed)
  const idempotencyKey = parseIdempotencyKey(key, sound.idempotency_key)
  const byMeaning = [
    ...(parsed.kind === 'bad' ? parsed.problems.map(toPointer) : []),
    ...(typeof idempotencyKey === 'string' ? [] : [idempotencyKey]),
    ...(callbackProblem(sound) ?? []),
  ]
  const named = new Set(byType.map(fieldOf))
  const others = byMeaning.filter((problem) => !named.has(fieldOf(problem)))
  return [...byType, ...new Map(others.map((problem) => [problem.path, problem])).values()]
}

/** The fields that have their types. Asked of each again, because of a hopeless body not every problem is told. */
function soundOf<Send extends AnyBody, To, Text>({ fields }: Medium<Send, To, Text>, body: object): Send {
  const hasItsType = ([name, value]: [string, unknown]): boolean =>
    Object.entries(fields).some(([known, schema]) => known === name && Check(schema, value))
  return Object.fromEntries(Object.entries(body).filter(hasItsType)) as Send
}

const fieldOf = ({ path }: FieldProblem): string | undefined => path.split('/')[1]
const toPointer = (problem: FieldProblem): FieldProblem => ({ ...problem, path: `/${problem.path}` })

function callbackProblem({ callback_url: url }: Pick<AnyBody, 'callback_url'>): readonly FieldProblem[] | undefined {
  const message = url === undefined ? undefined : urlProblem(url)
  return message === undefined ? undefined : [{ path: '/callback_url', message }]
}
