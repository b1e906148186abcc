/**
 * Gives the OpenAPI document its components. A schema with a `title` is defined once, under `components/schemas`, and
 * referred to everywhere else; so is a parameter whose text or number has one, under `components/parameters`. A response
 * with a name goes under `components/responses` if the document repeats it. Two different things of one name are an error.
 */
import { isDeepStrictEqual } from 'node:util'
import { mapOperations, mapValues, type Node, type OpenApi, type Operation, operationsOf } from './open-api.ts'

/** The key of the name in the content of a response. */
export const RESPONSE_NAME = 'x-name'

export function withComponents(document: OpenApi): OpenApi {
  const lifted = new Components('schemas')
  const parameters = new Components('parameters')
  const paths = mapOperations(document, (operation) => liftOperation(operation, lifted, parameters))
  const responses = new Components('responses')
  return {
    ...document,
    paths: liftResponses({ paths }, responses),
    components: {
      ...document.components,
      schemas: lifted.sorted(),
      parameters: parameters.sorted(),
      responses: responses.sorted(),
    },
  }
}

/** What may stand beside `$ref` in a schema. */
const ANNOTATIONS = ['description', 'default', 'example', 'examples']

type Component = Readonly<{ definition: Node; references: Node[] }>

/** The components of one kind, collected with the references to them. */
class Components {
  readonly #kind: string
  readonly #byName = new Map<string, Component>()

  constructor(kind: string) {
    this.#kind = kind
  }

  refer(name: string, definition: Node, annotations: Node = {}): Node {
    const reference = { $ref: `#/components/${this.#kind}/${name}`, ...annotations }
    const known = this.#byName.get(name)
    if (known !== undefined && !isDeepStrictEqual(known.definition, definition)) {
      throw new Error(`two different ${this.#kind} are named ${name}`)
    }
    if (known === undefined) this.#byName.set(name, { definition, references: [reference] })
    else known.references.push(reference)
    return reference
  }

  sorted(): Node {
    const names = [...this.#byName.keys()].toSorted()
    return Object.fromEntries(names.map((name) => [name, annotated(this.#byName.get(name))]))
  }
}

/** Moves the annotations that all references have alike to the definition. */
function annotated({ definition, references }: Component = { definition: {}, references: [] }): Node {
  const [first = {}] = references
  const common = ANNOTATIONS.filter((key) =>
    references.every((one) => key in one && isDeepStrictEqual(one[key], first[key])),
  )
  const moved = Object.fromEntries(common.map((key) => [key, first[key]]))
  for (const reference of references) for (const key of common) delete reference[key]
  return { ...moved, ...definition }
}

function liftOperation(operation: Operation, schemas: Components, parameters: Components): Operation {
  const liftContent = (content: Readonly<Record<string, Node>>) =>
    mapValues(content, (media) => ({ ...media, schema: liftSchema(media['schema'], schemas) }))
  const { parameters: given, requestBody, responses } = operation
  return {
    ...operation,
    ...(given && { parameters: given.map((one) => liftParameter(one, schemas, parameters)) }),
    ...(requestBody && { requestBody: { ...requestBody, content: liftContent(requestBody.content) } }),
    responses: mapValues(responses, (response) =>
      response.content === undefined ? response : { ...response, content: liftContent(response.content) },
    ),
  }
}

/** The title of an enum is that of its schema, here too. */
function liftParameter(parameter: Node, schemas: Components, parameters: Components): Node {
  const { title, ...schema } = parameter['schema'] as Node
  return typeof title !== 'string' || 'enum' in schema
    ? { ...parameter, schema: liftSchema(parameter['schema'], schemas) }
    : parameters.refer(title, { ...parameter, schema })
}

/** The keywords that contain schemas: one or a list, and by name. */
const NESTED = new Set(['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'not'])
const BY_NAME = new Set(['properties', 'patternProperties'])

function liftSchema(schema: unknown, schemas: Components): unknown {
  if (Array.isArray(schema)) return schema.map((one) => liftSchema(one, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...own } = mapValues(schema as Node, (value, key) => {
    if (NESTED.has(key)) return liftSchema(value, schemas)
    return BY_NAME.has(key) ? mapValues(value as Node, (one) => liftSchema(one, schemas)) : value
  })
  if (isTextual(own)) own['type'] = 'string'
  if (typeof title !== 'string') return own
  const [annotations, definition] = [true, false].map((wanted) =>
    Object.fromEntries(Object.entries(own).filter(([key]) => ANNOTATIONS.includes(key) === wanted)),
  )
  return schemas.refer(title, definition ?? {}, annotations)
}

/** Some generators need the type of an enum, too. */
const isTextual = ({ enum: values, type }: Node): boolean =>
  type === undefined && Array.isArray(values) && values.every((value) => typeof value === 'string')

function liftResponses(document: OpenApi, responses: Components): OpenApi['paths'] {
  const all = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses))
  const uses = Map.groupBy(all, nameOf)
  return mapOperations(document, (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, (response) => {
      const name = nameOf(response)
      if (name === undefined) return response
      const bare = { ...response, content: mapValues(response.content ?? {}, withoutName) }
      return uses.get(name)?.length === 1 ? bare : responses.refer(name, bare)
    }),
  }))
}

type Response = Operation['responses'][string]

const nameOf = ({ content = {} }: Response): string | undefined =>
  Object.values(content)
    .map((media) => media[RESPONSE_NAME])
    .find((name) => typeof name === 'string')

const withoutName = ({ [RESPONSE_NAME]: _name, ...media }: Node): Node => media
