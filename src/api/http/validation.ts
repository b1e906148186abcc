/**
 * Validates requests against the schemas that also make the OpenAPI document. Every invalid field is reported with
 * its JSON pointer and the reason.
 */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { Check } from 'typebox/value'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'

const MAX_PROBLEMS = 50
Settings.Set({ maxErrors: MAX_PROBLEMS })

/** Callers can make up names of any length. */
const LONGEST_PATH = 200

/** A path is a JSON pointer; `''` is the whole request. */
export function refuseFields(problems: readonly FieldProblem[]): Refusal {
  const first = problems.slice(0, 3).map(({ path, message }) => `${path === '' ? 'The request' : path} ${message}`)
  const rest = problems.length > first.length ? `; and ${problems.length - first.length} more` : ''
  return refuse('VALIDATION_ERROR', first.join('; ') + rest, problems)
}

export const badCursor = (): Refusal =>
  refuseFields([{ path: '/cursor', message: 'must be the next_cursor of the previous page' }])

/** Only a body has JSON types: query and path parameters are text, converted to what the schema asks for. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema)
  const convert = httpPart === 'body' ? (input: unknown) => input : textConverter(schema)
  return (input: unknown) => {
    const value = convert(input)
    if (!validator.Check(value)) return { error: refuseFields(toProblems(validator, value)) }
    // Given a value for the headers, Fastify would copy all of them each time they are read.
    return httpPart === 'headers' || { value }
  }
}

/** For routes that validate their body themselves; the schema only documents it. */
export const skipBodyValidation: FastifySchemaCompiler<TSchema> = (route) =>
  route.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(route)

/** Each field once; empty when the value is valid. */
export function toProblems(validator: Pick<Validator, 'Errors'>, value: unknown): readonly FieldProblem[] {
  const problems = validator.Errors(value).flatMap(explain)
  return [...new Map(problems.map((problem) => [problem.path, problem])).values()]
}

export const BAD_TIME = 'must be an RFC 3339 date and time, for example 2030-01-31T12:00:00Z'
const FORMATS = new Map([['date-time', BAD_TIME]])

function explain(error: TLocalizedValidationError): FieldProblem[] {
  const { instancePath, message } = error
  const path = instancePath.slice(0, LONGEST_PATH)
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({ path: `${path}/${name}`, message: 'is required' }))
    case 'boolean':
      return [{ path, message: 'is not a known field' }]
    case 'additionalProperties':
      // Already reported one by one, by the schema `false`.
      return []
    case 'enum':
      return [{ path, message: `must be one of ${error.params.allowedValues.join(', ')}` }]
    case 'type':
      return [{ path, message: `must be of type ${[error.params.type].flat().join(' or ')}` }]
    case 'format':
      return [{ path, message: FORMATS.get(error.params.format) ?? message }]
    default:
      return [{ path, message }]
  }
}

/** Converts integers and booleans from text; leaves any other text for the validator to refuse. */
function textConverter(schema: TSchema): (input: unknown) => unknown {
  const typed = Object.entries(propertiesOf(schema)).flatMap(([name, { type }]) =>
    type === 'integer' || type === 'boolean' ? [[name, type] as const] : [],
  )
  return (input) => {
    const texts = input as Record<string, unknown>
    for (const [name, type] of typed) {
      const text = texts[name]
      if (typeof text === 'string') texts[name] = CONVERT[type](text)
    }
    return input
  }
}

const propertiesOf = (schema: TSchema & { properties?: Record<string, { type?: string }> }) => schema.properties ?? {}

const CONVERT = {
  integer: (text: string): unknown => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  boolean: (text: string): unknown => (text === 'true' || text === 'false' ? text === 'true' : text),
}

type FieldSchemas = Readonly<Record<string, TSchema>>

/** The fields of a body that have the right type. `Errors` cannot tell: it stops at MAX_PROBLEMS. */
export function wellTyped<Body>(fields: FieldSchemas, body: object): Partial<Body> {
  const isWellTyped = ([name, value]: [string, unknown]): boolean =>
    Object.hasOwn(fields, name) && Check(fields[name] as TSchema, value)
  return Object.fromEntries(Object.entries(body).filter(isWellTyped)) as Partial<Body>
}

/** Every problem of a body, each field once: `check` is asked about the fields whose types are right. */
export function bodyProblems<Body>(
  { schema, fields }: Readonly<{ schema: Pick<Validator, 'Errors'>; fields: FieldSchemas }>,
  body: unknown,
  check: (fields: Partial<Body>, body: object) => readonly FieldProblem[],
): readonly FieldProblem[] {
  const byType = toProblems(schema, body)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return byType
  const reported = new Set(byType.map(fieldOf))
  const byMeaning = check(wellTyped<Body>(fields, body), body).filter((problem) => !reported.has(fieldOf(problem)))
  return [...byType, ...new Map(byMeaning.map((problem) => [problem.path, problem])).values()]
}

const fieldOf = ({ path }: FieldProblem): string | undefined => path.split('/')[1]
