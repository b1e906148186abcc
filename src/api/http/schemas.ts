/** Schemas that all resources share, and how a route's responses are described. */
import { type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'
import type { TraceId } from '../../domain/ids.ts'
import { publicCodeOf, REFUSALS, type RefusalCode, refuse } from '../../flows/errors.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import { RESPONSE_NAME } from '../reference/components.ts'
import { PROBLEM_TYPE, toProblem } from './problem.ts'

/**
 * An object that the OpenAPI document defines once, under `components`, by this name: generated clients have a type of that
 * name. The name is the `title`, so enums and unions are named by their options; components.ts does the rest.
 */
export const namedObject = <Fields extends TProperties>(name: string, fields: Fields, options?: TObjectOptions) =>
  Type.Object(fields, { title: name, ...options })

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Time = Type.String({ format: 'date-time', examples: ['2030-01-31T12:00:00.000Z'] })
export const isoOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : toIso(at))

export const MESSAGE_ID = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'
export const MessageIdText = Type.String({ format: 'uuid', examples: [MESSAGE_ID] })
/** The message id under the name it has in `/v1/sms/*`, `/v1/email/*`, `/v1/otp/*` and batches, for compatibility. */
export const RequestIdAlias = Type.String({
  format: 'uuid',
  description: 'An alias of the message id, kept for compatibility.',
})
/** Of a stored message. */
export const HttpRequestId = Type.String({
  description: 'The `X-Request-Id` of the call that created it. Null in messages of releases that did not keep it.',
  examples: ['8f14e45fceea167a-2s'],
})
export const MessageParams = Type.Object({
  id: Type.String({ title: 'MessageId', description: 'The `id` of a message.', examples: [MESSAGE_ID] }),
})

/** Text in a query string. NUL is excluded because PostgreSQL cannot compare it. */
export const queryText = (description: string, maxLength = 200) =>
  Type.String({ description, minLength: 1, maxLength, pattern: '^[^\\u0000]*$' })

/** A period in a query string: the first is inclusive, the second exclusive. */
export const fromTime = (what: string) => Type.Optional(queryText(`${what} at or after this time (RFC 3339).`, 40))
export const untilTime = (what: string) => Type.Optional(queryText(`${what} before this time (RFC 3339).`, 40))

export const PageFields = {
  cursor: Type.Optional({ ...queryText('The `next_cursor` of the previous page.'), title: 'PageCursor' }),
  limit: Type.Optional(
    Type.Integer({
      title: 'PageLimit',
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'The number of items per page.',
    }),
  ),
}
export const PageQuery = Type.Object(PageFields, { additionalProperties: false })

const nameOf = ({ title }: TSchema & { title?: string }): string => {
  if (title === undefined) throw new Error('the items of a list need a name')
  return title
}

/** A list without pages. */
export const listOf = <Item extends TSchema>(item: Item) =>
  namedObject(`${nameOf(item)}List`, { items: Type.Array(item) })

export const pageOf = <Item extends TSchema>(item: Item) =>
  namedObject(`${nameOf(item)}Page`, {
    items: Type.Array(item),
    next_cursor: nullable(Type.String({ description: 'Null on the last page.' })),
  })

const PUBLIC_CODES = [...new Set((Object.keys(REFUSALS) as RefusalCode[]).map(publicCodeOf))]

/** Why an item of a batch was refused. */
export const BatchItemError = namedObject('BatchItemError', {
  type: Type.String({ format: 'uri', examples: ['urn:pombo:problem:validation-error'] }),
  title: Type.String({ examples: [REFUSALS.VALIDATION_ERROR.title] }),
  status: Type.Integer({ examples: [400] }),
  detail: Type.String({ examples: ['/to is required'] }),
  error_code: Type.Enum(PUBLIC_CODES, { title: 'ErrorCode' }),
  message: Type.String({ description: 'The same as `detail`.' }),
  details: Type.Optional(
    Type.Array(
      namedObject('FieldError', {
        path: Type.String({ description: 'A JSON pointer to the invalid field.' }),
        message: Type.String(),
        code: Type.Optional(
          Type.String({
            description: 'The error code of the check that the field would fail before sending.',
            examples: ['INVALID_TEMPLATE'],
          }),
        ),
      }),
    ),
  ),
  retry_after: Type.Optional(Type.Integer({ description: 'In seconds; also in the header `Retry-After`.' })),
})

export const Problem = namedObject('Problem', {
  ...BatchItemError.properties,
  http_request_id: Type.String({ description: 'The id of this HTTP request; also in the header `X-Request-Id`.' }),
  trace_id: Type.String({ description: 'Also in the header `X-Trace-Id`.' }),
})

/** Responses with the same name are defined once. */
type Response = Readonly<{ description: string; schema: object; example?: unknown; type?: string; name?: string }>

/** The responses of a public route: the successful ones, and these errors. */
export function publicResponses(successful: Readonly<Record<number, Response>>, ...codes: RefusalCode[]) {
  const errors = Map.groupBy(codes, (code) => REFUSALS[code].status)
  return Object.fromEntries([
    ...Object.entries(successful).map(([status, response]) => [status, toOpenApi(response)]),
    ...[...errors].map(([status, sameStatus]) => [status, toOpenApi(errorResponse(sameStatus))]),
  ])
}

/** The responses of a route behind a guard. */
export const responses = (successful: Readonly<Record<number, Response>>, ...codes: RefusalCode[]) =>
  publicResponses(successful, ...codes, ...GUARD_ERRORS, 'TOO_MANY_REQUESTS', 'UNAVAILABLE')

const GUARD_ERRORS = ['UNAUTHENTICATED', 'FORBIDDEN', 'TENANT_UNKNOWN', 'TENANT_SUSPENDED'] as const

export const NO_CONTENT = { 204: { description: 'Deleted.', type: 'null' } }

const EXAMPLE_IDS = { http_request_id: '8f14e45fceea167a-2s', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' as TraceId }

/** For errors that share a status; the example is the first. */
function errorResponse(codes: readonly RefusalCode[]): Response {
  const [example] = codes.map((code) => toProblem(refuse(code, REFUSALS[code].title), EXAMPLE_IDS))
  const description = codes.map((code) => `\`${publicCodeOf(code)}\`: ${REFUSALS[code].title}.`).join(' ')
  return { description, schema: Problem, example, type: PROBLEM_TYPE, name: nameOfCodes(codes) }
}

/** For example `Forbidden`, `ConflictOrQuotaExceeded`. */
const nameOfCodes = (codes: readonly RefusalCode[]): string =>
  codes.map((code) => code.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase())).join('Or')

const toOpenApi = ({ description, schema, example, type = 'application/json', name }: Response) => ({
  description,
  content: { [type]: omitUndefined({ schema, example, [RESPONSE_NAME]: name }) },
})
