/**
 * Checks what came in against the schemas that also make the OpenAPI document. Every bad field is
 * named with its JSON pointer and the reason.
 */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import type { FieldProblem } from '../../domain/requests/request-fields.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'

/** So many problems are told at once, whatever came in. */
const MAX_PROBLEMS = 50
Settings.Set({ maxErrors: MAX_PROBLEMS })

/** A caller can make names of any length. */
const LONGEST_PATH = 200

/** The refusal of a request with these problems. A path is a JSON pointer; `''` is the whole. */
export function refuseFields(problems: readonly FieldProblem[]): Refusal {
  const told = problems.slice(0, 3).map(({ path, message }) => `${path === '' ? 'the request' : path} ${message}`)
  const rest = problems.length > told.length ? `; and ${problems.length - told.length} more` : ''
  return refuse('VALIDATION_ERROR', told.join('; ') + rest, problems)
}

/** For Fastify. Only a body has types of its own: queries and paths are text, read by what the schema asks for. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema)
  const read = httpPart === 'body' ? (input: unknown) => input : textReader(schema)
  return (input: unknown) => {
    const value = read(input)
    return validator.Check(value) ? { value } : { error: refuseFields(toProblems(validator, value)) }
  }
}

/** For a body that its route checks itself; the schema is then only told. */
export const leaveBody: FastifySchemaCompiler<TSchema> = (route) =>
  route.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(route)

/** What is wrong with a value, each field once; nothing when the validator accepts it. */
export function toProblems(validator: Pick<Validator, 'Errors'>, value: unknown): readonly FieldProblem[] {
  const problems = validator.Errors(value).flatMap(explain)
  return [...new Map(problems.map((problem) => [problem.path, problem])).values()]
}

const FORMATS = new Map([['date-time', 'must be an RFC 3339 date and time, such as 2030-01-31T12:00:00Z']])

function explain(error: TLocalizedValidationError): FieldProblem[] {
  const { instancePath, message } = error
  const path = instancePath.slice(0, LONGEST_PATH)
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({ path: `${path}/${name}`, message: 'is required' }))
    case 'boolean':
      return [{ path, message: 'is not allowed here' }]
    case 'additionalProperties':
      // Each of them was named already, by the schema `false` it met.
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

/** Reads the numbers and truth values a schema asks for from their text; leaves alone what is neither. */
function textReader(schema: TSchema): (input: unknown) => unknown {
  const typed = Object.entries(propertiesOf(schema)).flatMap(([name, { type }]) =>
    type === 'integer' || type === 'boolean' ? [[name, type] as const] : [],
  )
  return (input) => {
    const texts = input as Record<string, unknown>
    for (const [name, type] of typed) {
      const text = texts[name]
      if (typeof text === 'string') texts[name] = READ[type](text)
    }
    return input
  }
}

const propertiesOf = (schema: TSchema & { properties?: Record<string, { type?: string }> }) => schema.properties ?? {}

const READ = {
  integer: (text: string): unknown => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  boolean: (text: string): unknown => (text === 'true' || text === 'false' ? text === 'true' : text),
}
