/** What the generator reads of the OpenAPI document and of the schemas of events. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export type JsonSchema = Readonly<{
  $ref?: string
  type?: string
  const?: string | number | boolean
  enum?: readonly (string | number | boolean)[]
  anyOf?: readonly JsonSchema[]
  items?: JsonSchema
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  additionalProperties?: boolean | JsonSchema
  description?: string
}>

export type Parameter = Readonly<{
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  description?: string
  schema: JsonSchema
}>

type Content = Readonly<Record<string, Readonly<{ schema?: JsonSchema }>>>

export type DocumentedOperation = Readonly<{
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  parameters?: readonly (Parameter | Readonly<{ $ref: string }>)[]
  requestBody?: Readonly<{ content: Content; required?: boolean }>
  responses: Readonly<Record<string, Readonly<{ content?: Content }>>>
}>

export type OpenApi = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  components: Readonly<{
    schemas: Readonly<Record<string, JsonSchema>>
    parameters: Readonly<Record<string, Parameter>>
  }>
}>

/** The schemas of what event streams and webhooks carry, by the name of the event. */
export type Documents = Readonly<{ api: OpenApi; events: Readonly<Record<string, JsonSchema>> }>

const EVENT_FILE = '.schema.json'

export function readDocuments(docs: string): Documents {
  const api = readJson<OpenApi>(join(docs, 'openapi.json'))
  const read = (name: string): JsonSchema => readJson(join(docs, 'events', `${name}${EVENT_FILE}`))
  const enumOf = (name: string): readonly string[] => (api.components.schemas[name]?.enum ?? []).map(String)
  const alerts = enumOf('WebhookEventType').filter((type) => !type.startsWith('message.'))
  const names = [...enumOf('EventName'), ...alerts]
  return { api, events: Object.fromEntries(names.map((name) => [name, read(basename(name))])) }
}

const readJson = <Value>(path: string): Value => JSON.parse(readFileSync(path, 'utf8')) as Value

/** The last part of a reference: the name of the component. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
