/**
 * Reads a request to send an SMS or an email, alone or in a batch, into a submission to accept. All its problems are
 * reported at once.
 */
import type { TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'
import type { Caller } from '../../domain/access/caller.ts'
import type { Content, Form, Origin } from '../../domain/message/message.ts'
import { urlProblem } from '../../domain/requests/endpoint-request.ts'
import type { Composed, FieldProblem, NameFields } from '../../domain/requests/request-fields.ts'
import { parseNames } from '../../domain/requests/request-names.ts'
import { type AcceptDeps, findEarlier, type Submission } from '../../flows/send/accept.ts'
import { type ComposeDeps, compose, type Wanted } from '../../flows/send/compose.ts'
import { parseIdempotencyKey } from '../http/idempotency-key.ts'
import { bodyProblems, refuseFields, wellTyped } from '../http/validation.ts'

export type SubmissionDeps = AcceptDeps & ComposeDeps & Readonly<{ maxParts: number }>

/** The fields that both channels have in common. */
export type SendBody = NameFields &
  Readonly<{ idempotency_key?: string; lane?: 'transactional' | 'bulk'; callback_url?: string }>

export type Parsed =
  | Readonly<{ kind: 'ok'; content: Content; form: Form }>
  | Readonly<{ kind: 'bad'; problems: readonly FieldProblem[] }>

/** What is specific to one channel. */
export type ChannelSpec<Send extends SendBody, To, Text> = Readonly<{
  fields: Readonly<Record<string, TSchema>>
  parse: (deps: SubmissionDeps, request: Send, composed?: Composed<To, Text>) => Parsed
  wanted: Wanted<To, Text>
  /** Stands for a recipient or a text that could not be found, to look for an earlier call with the same names. */
  substitute: Readonly<{ to: To; text: Text }>
  /** Stands for fields of the wrong type: they were given, so none of them is reported as missing. */
  mistyped: Send
}>

export type BodySchema<Send> = Pick<Validator, 'Errors'> & Readonly<{ Check(body: unknown): body is Send }>

/** One call, or one item of a batch. `key` is the header Idempotency-Key. */
export type SendCall<Send> = Readonly<{
  caller: Caller
  schema: BodySchema<Send>
  body: unknown
  key?: string | undefined
  origin: Origin
}>

/** Async only where a recipient or a template must be looked up. */
export function toSubmission<Send extends SendBody, To, Text>(
  deps: SubmissionDeps,
  channel: ChannelSpec<Send, To, Text>,
  call: SendCall<Send>,
): Submission | Promise<Submission> {
  if (hasNames(call.body)) return toComposedSubmission(deps, channel, call, call.body)
  const submission = read(deps, channel, call)
  if (submission === undefined) throw refuseFields(allProblems(deps, channel, call))
  return submission
}

const hasNames = (body: unknown): body is object =>
  typeof body === 'object' &&
  body !== null &&
  ('template' in body || 'recipient_id' in body || 'recipient_external_id' in body)

async function toComposedSubmission<Send extends SendBody, To, Text>(
  deps: SubmissionDeps,
  channel: ChannelSpec<Send, To, Text>,
  call: SendCall<Send>,
  body: object,
): Promise<Submission> {
  const { names, problems } = parseNames(wellTyped<NameFields>(channel.fields, body))
  const found = await compose(deps, call.caller.tenantId, names, channel.wanted)
  const composed = { ...found, problems: [...problems, ...found.problems] }
  const submission = read(deps, channel, call, composed)
  if (submission !== undefined) return submission
  const earlier = problems.length === 0 ? await findRepeated(deps, channel, call, composed) : undefined
  if (earlier === undefined) throw refuseFields(allProblems(deps, channel, call, composed))
  return earlier
}

/**
 * A repeated call must get its first response even if the recipient or the template has since been deleted or changed
 * so that it could not be sent now. The submission then has the content of the first call.
 */
async function findRepeated<Send extends SendBody, To, Text>(
  deps: SubmissionDeps,
  channel: ChannelSpec<Send, To, Text>,
  call: SendCall<Send>,
  composed: Composed<To, Text>,
): Promise<Submission | undefined> {
  const submission = read(deps, channel, call, { ...composed, ...channel.substitute, problems: [] })
  const earlier = submission && (await findEarlier(deps, submission))
  const content = earlier && (await deps.log.load(earlier.id))?.content
  return submission && content && { ...submission, content }
}

/** Undefined when the request is not valid. */
function read<Send extends SendBody, To, Text>(
  deps: SubmissionDeps,
  channel: ChannelSpec<Send, To, Text>,
  call: SendCall<Send>,
  composed?: Composed<To, Text>,
): Submission | undefined {
  const { schema, body, origin } = call
  if (!schema.Check(body)) return undefined
  const parsed = channel.parse(deps, body, composed)
  const idempotencyKey = parseIdempotencyKey(call.key, body.idempotency_key)
  if (parsed.kind === 'bad' || typeof idempotencyKey !== 'string') return undefined
  if (callbackProblems(body).length > 0) return undefined
  const { tenantId, accountId } = call.caller
  const { content, form } = parsed
  const lane = body.lane ?? 'transactional'
  const user = composed?.user
  const submission = { tenantId, accountId, lane, content, form, idempotencyKey, ...origin }
  return user === undefined ? submission : { ...submission, user }
}

function allProblems<Send extends SendBody, To, Text>(
  deps: SubmissionDeps,
  channel: ChannelSpec<Send, To, Text>,
  { schema, body, key }: SendCall<Send>,
  composed?: Composed<To, Text>,
): readonly FieldProblem[] {
  return bodyProblems<Send>({ schema, fields: channel.fields }, body, (fields, given) => {
    const mistyped = Object.fromEntries(Object.entries(channel.mistyped).filter(([name]) => name in given))
    const parsed = channel.parse(deps, { ...mistyped, ...fields } as Send, composed)
    const idempotencyKey = parseIdempotencyKey(key, fields.idempotency_key)
    return [
      ...(parsed.kind === 'bad' ? parsed.problems.map(toPointer) : []),
      ...(typeof idempotencyKey === 'string' ? [] : [idempotencyKey]),
      ...callbackProblems(fields),
    ]
  })
}

const toPointer = (problem: FieldProblem): FieldProblem => ({ ...problem, path: `/${problem.path}` })

function callbackProblems({
  callback_url: url,
}: Readonly<{ callback_url?: string | undefined }>): readonly FieldProblem[] {
  const message = url === undefined ? undefined : urlProblem(url)
  return message === undefined ? [] : [{ path: '/callback_url', message }]
}
