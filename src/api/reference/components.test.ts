import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { renderOpenApi } from '../http/openapi.ts'
import { namedObject } from '../http/schemas.ts'
import { withComponents } from './components.ts'
import { type Node, type OpenApi, operationsOf } from './open-api.ts'

const text = await renderOpenApi()
const document: OpenApi & { components: Record<string, Record<string, Node>> } = JSON.parse(text)
const operations = operationsOf(document)
const COMPONENTS = '#/components/schemas/'
const { schemas = {}, parameters = {}, responses = {} } = document.components

/** A map from any key to one type needs no name: every language has such a type. */
const isMap = ({ properties }: Node): boolean => properties === undefined
/** A constant needs none either. */
const isConstant = ({ enum: values }: Node): boolean => (values as unknown[]).length === 1

/** Every object and enum at or below a schema that is defined in place. */
function inlineIn(schema: unknown, at: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one, nth) => inlineIn(one, `${at}/${nth}`))
  if (typeof schema !== 'object' || schema === null) return []
  const own = schema as Node
  const isInline = ('enum' in own && !isConstant(own)) || (own['type'] === 'object' && !isMap(own))
  return [...(isInline ? [at] : []), ...inlineBelow(own, at)]
}

const inlineBelow = (schema: Node, at: string): string[] =>
  Object.entries(schema)
    .filter(([key]) => !['enum', 'examples', 'example', 'default'].includes(key))
    .flatMap(([key, value]) =>
      key === 'properties'
        ? Object.entries(value as Node).flatMap(([name, one]) => inlineIn(one, `${at}.${name}`))
        : inlineIn(value, `${at}/${key}`),
    )

describe('the components of the OpenAPI document', () => {
  test('every object and enum of a request or a response has a name', () => {
    const found = [
      ...operations.flatMap(({ operation: { operationId, requestBody, responses: own, parameters: given = [] } }) => [
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => inlineIn(schema, `${operationId} body`)),
        ...Object.entries(own).flatMap(([status, { content = {} }]) =>
          Object.values(content).flatMap(({ schema }) => inlineIn(schema, `${operationId} ${status}`)),
        ),
        ...given.flatMap(({ name, schema }) => inlineIn(schema, `${operationId} ?${name}`)),
      ]),
      ...Object.entries(schemas).flatMap(([name, schema]) => inlineBelow(schema, name)),
      ...Object.entries(responses).flatMap(([name, response]) => inlineBelow(response, name)),
    ]
    assert.deepEqual(found, [], 'name them: namedObject, or `title` in the options')
  })

  test('no parameter or response is written more than three times', () => {
    const repeated = (all: readonly Node[]): Node[] =>
      [...Map.groupBy(all, (one) => JSON.stringify(one)).values()]
        .filter((same) => same.length > 3 && !('$ref' in (same[0] ?? {})))
        .map(([first = {}]) => first)
    const isError = (response: Node): boolean => 'application/problem+json' in ((response['content'] ?? {}) as Node)
    assert.deepEqual(repeated(operations.flatMap(({ operation }) => operation.parameters ?? [])), [])
    const all = operations.flatMap(({ operation }) => Object.values(operation.responses))
    assert.deepEqual(repeated(all.filter(isError)), [])
  })

  test('every one is used, and its name is PascalCase', () => {
    for (const [kind, named] of Object.entries({ schemas, parameters, responses })) {
      for (const name of Object.keys(named)) {
        assert.match(name, /^[A-Z][A-Za-z]+$/)
        assert.ok(text.includes(`"#/components/${kind}/${name}"`), `${kind} ${name} is not used`)
      }
    }
  })

  test('a client has the names that it is written with', () => {
    const names = ['SendSmsRequest', 'SendAccepted', 'Message', 'MessagePage', 'Endpoint', 'WebhookDelivery', 'ApiKey']
    const enums = ['MessageStatus', 'HandoffState', 'ProviderState', 'Channel', 'Lane', 'Scope', 'Role', 'ErrorCode']
    for (const name of [...names, 'Problem', ...enums]) assert.ok(name in schemas, name)
    for (const name of enums) assert.equal(schemas[name]?.['type'], 'string')
  })
})

describe('the examples of the OpenAPI document', () => {
  const validate = (schema: unknown, example: unknown, what: string) =>
    assert.deepEqual(Compile({ ...rebased(schema), $defs: defs } as never).Errors(example), [], what)
  const rebased = (schema: unknown): Node => JSON.parse(JSON.stringify(schema).replaceAll(COMPONENTS, '#/$defs/'))
  const defs = rebased(schemas)
  const examplesIn = ({ example, examples = {} }: Node): unknown[] => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples as Record<string, Node>).map(({ value }) => value),
  ]

  test('every request body has one, and all are valid', () => {
    let bodies = 0
    for (const { operation } of operations) {
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        assert.notDeepEqual(examplesIn(media), [], operation.operationId)
        bodies += 1
        for (const one of examplesIn(media)) validate(media['schema'], one, operation.operationId)
      }
    }
    assert.ok(bodies > 30)
  })

  test('those of responses and schemas are valid', () => {
    let examples = 0
    for (const response of [...operations.flatMap(({ operation }) => Object.values(operation.responses)), ...named]) {
      for (const media of Object.values((response['content'] ?? {}) as Record<string, Node>)) {
        for (const one of examplesIn(media)) validate(media['schema'], one, JSON.stringify(one).slice(0, 100))
        examples += examplesIn(media).length
      }
    }
    for (const [at, schema] of schemasIn(schemas)) {
      for (const one of (schema['examples'] ?? []) as unknown[]) validate({ ...schema, examples: [] }, one, at)
      examples += ((schema['examples'] ?? []) as unknown[]).length
    }
    assert.ok(examples > 200)
  })
  const named = Object.values(responses)

  /** All schemas, with the path to each. */
  function schemasIn(value: unknown, at = ''): [string, Node][] {
    if (typeof value !== 'object' || value === null) return []
    const below = Object.entries(value).flatMap(([key, one]) => schemasIn(one, `${at}/${key}`))
    return 'examples' in value && Array.isArray(value.examples) ? [[at, value as Node], ...below] : below
  }
})

describe('naming', () => {
  const lift = (...given: Node[]) =>
    withComponents({ paths: Object.fromEntries(given.map((schema, nth) => [`/${nth}`, { get: operation(schema) }])) })
  const operation = (schema: Node) => ({
    operationId: 'x',
    tags: [],
    responses: { 200: { description: '', content: { 'application/json': { schema } } } },
  })
  const plain = (schema: object): Node => JSON.parse(JSON.stringify(schema))
  const status = (description?: string) =>
    Type.Enum(['on', 'off'], { title: 'Status', ...(description && { description }) })
  const named = (description?: string) => plain(namedObject('Lamp', { status: status(description) }))

  test('a description that only some references have stays with them', () => {
    const { components } = lift(named(), plain(status('Of a radio.')), plain(status('Of a lamp.')))
    const found = components?.['schemas'] as Record<string, Node>
    assert.deepEqual(found['Status'], { type: 'string', enum: ['on', 'off'] })
    assert.deepEqual(found['Lamp'], {
      type: 'object',
      required: ['status'],
      properties: { status: { $ref: '#/components/schemas/Status' } },
    })
  })

  test('a description that all references have is in the definition', () => {
    const { components } = lift(plain(status('Of a lamp.')), plain(status('Of a lamp.')))
    const found = components?.['schemas'] as Record<string, Node>
    assert.equal(found['Status']?.['description'], 'Of a lamp.')
  })

  test('two different schemas of one name are an error', () => {
    const other = plain(Type.Enum(['up', 'down'], { title: 'Status' }))
    assert.throws(() => lift(named(), other), /two different schemas are named Status/)
  })
})
