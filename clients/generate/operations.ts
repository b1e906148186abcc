/** The operations of the document as both clients offer them. */
import { type DocumentedOperation, type JsonSchema, nameOf, type OpenApi, type Parameter } from './document.ts'
import { type Name, toName } from './names.ts'
import { type Field, type Shape, toShape } from './shapes.ts'

/**
 * When a call that may have happened is repeated: always, because a repetition changes nothing; with the same
 * idempotency key; or never.
 */
export type Repeatable = 'always' | 'with-key' | 'never'

export type Answer =
  | Readonly<{ kind: 'json'; type: string }>
  | Readonly<{ kind: 'list'; type: string; item: string }>
  | Readonly<{ kind: 'nothing' | 'text' | 'bytes' | 'lines' }>

export type Argument = Readonly<{ name: string; shape: Shape; description: string | undefined }>

export type Operation = Name &
  Readonly<{
    id: string
    summary: string
    description: string
    httpMethod: string
    path: string
    pathArguments: readonly Argument[]
    query: readonly Field[]
    /** Without fields if it is one of several objects. */
    body: Readonly<{ type: string; fields: readonly Field[] | undefined }> | undefined
    answer: Answer
    repeatable: Repeatable
  }>

/** Called by providers, not by customers. */
const NOT_FOR_CLIENTS: ReadonlySet<string> = new Set(['callbacks'])
/** Calls that change nothing although they are POSTs, and one whose items all have keys. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'sendBatch',
  'preflight',
  'resolveRoute',
  'previewTemplate',
  'verifyErasureReceipt',
])

/** Event streams have code of their own in the clients, and redirects are for browsers. */
export function toOperations(api: OpenApi): readonly Operation[] {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, documented]) => {
      const answer = toAnswer(api, documented)
      if (answer === undefined || documented.tags.some((tag) => NOT_FOR_CLIENTS.has(tag))) return []
      return [toOperation(api, { path, method, documented, answer })]
    }),
  )
  refuseEqualNames(operations)
  return operations
}

type Found = Readonly<{ path: string; method: string; documented: DocumentedOperation; answer: Answer }>

function toOperation(api: OpenApi, { path, method, documented, answer }: Found): Operation {
  const { operationId: id, summary, description } = documented
  const parameters = (documented.parameters ?? []).map((one) => parameterOf(api, one))
  const inPath = new Map(parameters.filter((one) => one.in === 'path').map((one) => [one.name, one]))
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const repeatable = toRepeatable(api, method, documented, parameters)
  return {
    ...toName(documented),
    id,
    summary,
    description,
    httpMethod: method.toUpperCase(),
    path,
    pathArguments: names.map((name) => toArgument(inPath.get(name), `${id} {${name}}`)),
    query: toQuery(parameters, documented, id),
    body: toBody(api, documented),
    answer,
    repeatable,
  }
}

function parameterOf(api: OpenApi, parameter: Parameter | Readonly<{ $ref: string }>): Parameter {
  if (!('$ref' in parameter)) return parameter
  const found = api.components.parameters[nameOf(parameter.$ref)]
  if (found === undefined) throw new Error(`${parameter.$ref} is not in the document`)
  return found
}

function toArgument(parameter: Parameter | undefined, where: string): Argument {
  if (parameter === undefined) throw new Error(`${where} is not described`)
  const { name, schema, description } = parameter
  return { name, shape: toShape(schema, where), description: description ?? schema.description }
}

/** Where the answer can have another form, the clients ask for JSON. */
const toQuery = (parameters: readonly Parameter[], documented: DocumentedOperation, id: string): readonly Field[] =>
  parameters
    .filter((one) => one.in === 'query' && !(one.name === 'format' && contentOf(documented).length > 1))
    .map((one) => ({ ...toArgument(one, `${id} ?${one.name}`), isRequired: one.required === true }))

function toBody(api: OpenApi, { operationId, requestBody }: DocumentedOperation): Operation['body'] {
  const $ref = requestBody?.content['application/json']?.schema?.$ref
  if (requestBody === undefined) return undefined
  if ($ref === undefined) throw new Error(`the body of ${operationId} has no name`)
  const type = nameOf($ref)
  const shape = toShape(api.components.schemas[type] ?? {}, type)
  return { type, fields: shape.kind === 'object' ? shape.fields : undefined }
}

const contentOf = ({ responses }: DocumentedOperation): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) =>
      Object.entries(content).map(([type, { schema = {} }]) => [type, schema] as const),
    )

/** Undefined if the operation is not one for a client. */
function toAnswer(api: OpenApi, documented: DocumentedOperation): Answer | undefined {
  if (!Object.keys(documented.responses).some((status) => status.startsWith('2'))) return undefined
  const content = contentOf(documented)
  const json = content.find(([type]) => type === 'application/json')?.[1]
  if (json !== undefined) return toJsonAnswer(api, documented, json)
  const [type] = content[0] ?? []
  if (type === undefined) return { kind: 'nothing' }
  if (type === 'text/event-stream') return undefined
  if (type === 'application/x-ndjson') return { kind: 'lines' }
  return { kind: type === 'application/octet-stream' ? 'bytes' : 'text' }
}

/** A response with items is a list where the name says so. */
function toJsonAnswer(api: OpenApi, documented: DocumentedOperation, { $ref }: JsonSchema): Answer {
  if ($ref === undefined) throw new Error(`the response of ${documented.operationId} has no name`)
  const type = nameOf($ref)
  const { properties = {} } = api.components.schemas[type] ?? {}
  const item = properties['items']?.items?.$ref
  if (item === undefined || !toName(documented).method.startsWith('list')) return { kind: 'json', type }
  return { kind: 'list', type, item: nameOf(item) }
}

function toRepeatable(
  api: OpenApi,
  method: string,
  { operationId, requestBody }: DocumentedOperation,
  parameters: readonly Parameter[],
): Repeatable {
  if (method !== 'post' && method !== 'patch') return 'always'
  if (REPEATABLE.has(operationId)) return 'always'
  const $ref = requestBody?.content['application/json']?.schema?.$ref
  const fields = $ref === undefined ? {} : (api.components.schemas[nameOf($ref)]?.properties ?? {})
  const hasKey = 'idempotency_key' in fields || parameters.some(({ name }) => name === 'idempotency-key')
  return hasKey ? 'with-key' : 'never'
}

function refuseEqualNames(operations: readonly Operation[]): void {
  const seen = new Map<string, string>()
  for (const { namespace, method, id } of operations) {
    const name = `${namespace}.${method}`
    const other = seen.get(name)
    if (other !== undefined) throw new Error(`${id} and ${other} would both be ${name}: give one a name in names.ts`)
    seen.set(name, id)
  }
}
