/** The types of the Node client: one exported type per named schema. */
import type { EventType, EventTypes } from './event-types.ts'
import type { Operation } from './operations.ts'
import type { Field, NamedShape, ObjectShape, Shape } from './shapes.ts'
import { toPascalCase, wrap } from './words.ts'

const COMMENT_WIDTH = 112

export function renderTypes(
  shapes: readonly NamedShape[],
  events: EventTypes,
  operations: readonly Operation[],
): string {
  const queries = operations.filter(({ query }) => query.length > 0).map(toQueryType)
  return [
    '// Generated from docs/openapi.json and docs/events by `npm run clients`.\n',
    ...[...shapes, ...events.shapes].map(renderType),
    ...queries,
    renderEventMap('EventData', 'What an event of the stream carries, by its name.', events.streamed),
    renderEventMap('WebhookData', 'What a webhook carries, by its type.', events.posted),
  ].join('\n')
}

function renderType({ name, shape, description }: NamedShape): string {
  const comment = renderComment(description, '')
  if (shape.kind === 'object') return `${comment}export interface ${name} ${renderObject(shape, '')}\n`
  return `${comment}export type ${name} = ${renderShape(shape, '')}\n`
}

export const queryTypeOf = ({ id }: Pick<Operation, 'id'>): string => `${toPascalCase(id)}Query`

function toQueryType(operation: Operation): string {
  const shape: ObjectShape = { kind: 'object', fields: operation.query, isOpen: false }
  return renderType({ name: queryTypeOf(operation), shape, description: undefined })
}

const renderEventMap = (name: string, description: string, events: readonly EventType[]): string =>
  `/** ${description} */\nexport interface ${name} {\n${events.map(({ event, type }) => `  '${event}': ${type}\n`).join('')}}\n`

/** `indent` is that of the line on which the shape begins. */
export function renderShape(shape: Shape, indent: string): string {
  switch (shape.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'unknown':
      return shape.kind
    case 'integer':
      return 'number'
    case 'reference':
      return shape.name
    case 'literals':
      return shape.values.map(renderLiteral).join(' | ')
    case 'list':
      return isUnion(shape.of) ? `(${renderShape(shape.of, indent)})[]` : `${renderShape(shape.of, indent)}[]`
    case 'record':
      return `Record<string, ${renderShape(shape.of, indent)}>`
    case 'union':
      return shape.of.map((one) => renderShape(one, indent)).join(' | ')
    case 'object':
      return renderObject(shape, indent)
  }
}

const renderLiteral = (value: string | number | boolean): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)

const isUnion = (shape: Shape): boolean =>
  shape.kind === 'union' || (shape.kind === 'literals' && shape.values.length > 1)

function renderObject({ fields, isOpen }: ObjectShape, indent: string): string {
  const inner = `${indent}  `
  const lines = fields.map((field) => renderField(field, inner))
  return `{\n${lines.join('')}${isOpen ? `${inner}[name: string]: unknown\n` : ''}${indent}}`
}

function renderField({ name, shape, isRequired, description }: Field, indent: string): string {
  const key = /^\w+$/.test(name) ? name : `'${name}'`
  const type = renderShape(shape, indent)
  const optional = isRequired ? '' : '?'
  const orUndefined = isRequired ? '' : ' | undefined'
  return `${renderComment(description, indent)}${indent}${key}${optional}: ${type}${orUndefined}\n`
}

export function renderComment(description: string | undefined, indent: string): string {
  if (description === undefined) return ''
  const lines = wrap(description.replaceAll('*/', '* /'), COMMENT_WIDTH - indent.length)
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}
