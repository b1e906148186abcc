/**
 * Examples of what callers send: those of the schemas, or composed of the examples of their required fields. Every request
 * body of the document gets one.
 */
import { mapOperations, mapValues, type Node, type OpenApi, type Operation } from './open-api.ts'

export const withExamples = (document: OpenApi): OpenApi => ({
  ...document,
  paths: mapOperations(document, (operation) => {
    const { requestBody, operationId } = operation
    if (requestBody === undefined) return operation
    const content = mapValues(requestBody.content, (media) => {
      if ('example' in media || 'examples' in media) return media
      return { ...media, example: required(exampleOf(media['schema'] as Node), `the body of ${operationId}`) }
    })
    return { ...operation, requestBody: { ...requestBody, content } }
  }),
})

/** The first example of the body, of a document that has one for each. */
export function bodyExample({ requestBody }: Operation): unknown {
  const media = Object.values(requestBody?.content ?? {})[0]
  const [named] = Object.values((media?.['examples'] ?? {}) as Record<string, Node>)
  return media?.['example'] ?? named?.['value']
}

export const parameterExample = ({ name, description, example, schema }: Node): string =>
  encodeURIComponent(String(required(example ?? exampleOf(schema as Node), `the parameter ${name}: ${description}`)))

function required<Value>(example: Value | undefined, what: string): Value {
  if (example === undefined) throw new Error(`give an example for ${what}`)
  return example
}

/** Undefined where a required field has none. */
function exampleOf(schema: Node): unknown {
  const { example, examples = [], enum: values = [], properties, items, anyOf = [] } = schema
  const [given] = [example, ...(examples as unknown[]), ...(values as unknown[])].filter((one) => one !== undefined)
  if (given !== undefined) return given
  const [choice] = anyOf as Node[]
  if (choice !== undefined) return exampleOf(choice)
  if (properties !== undefined) return composed(schema)
  const item = items === undefined ? undefined : exampleOf(items as Node)
  return item === undefined ? undefined : [item]
}

function composed({ properties, required: names = [] }: Node): unknown {
  const fields = (names as string[]).map((name) => [name, exampleOf((properties as Record<string, Node>)[name] ?? {})])
  return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields)
}
