/** The types of the Python client: one TypedDict or alias per named schema, for Python 3.9 and newer. */
import type { EventType, EventTypes } from './event-types.ts'
import type { Field, NamedShape, ObjectShape, Shape } from './shapes.ts'
import { toPascalCase, wrap } from './words.ts'

const HEAD = `"""Generated from docs/openapi.json and docs/events by \`npm run clients\`."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union
`
const DOC_WIDTH = 88
const INDENT = '    '
/** Fields with these names cannot be declared in a class. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else ' +
    'except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

export function renderPythonTypes(shapes: readonly NamedShape[], events: EventTypes): string {
  const named = [...shapes, ...events.shapes].flatMap(hoist)
  const [objects, aliases] = [named.filter(isObject), named.filter((one) => !isObject(one))]
  return [
    HEAD,
    ...aliases.map(renderAlias),
    ...objects.map(({ name, shape, description }) => renderClass(name, shape, description)),
    ...renderEvents(
      'StreamEvent',
      'An event of the stream: `name` tells which `data` it has.',
      events.streamed,
      STREAMED,
    ),
    ...renderEvents('WebhookEvent', 'A webhook: `type` tells which `data` it has.', events.posted, POSTED),
  ].join('\n')
}

const isObject = (named: NamedShape): named is NamedShape & Readonly<{ shape: ObjectShape }> =>
  named.shape.kind === 'object'

export const isKeyword = (name: string): boolean => KEYWORDS.has(name)

/** Objects inside of an object get names of their own, because a TypedDict cannot be written inline. */
function hoist({ name, shape, description }: NamedShape): readonly NamedShape[] {
  const inner: NamedShape[] = []
  const named = (one: Shape, path: string): Shape => {
    if (one.kind === 'list' || one.kind === 'record') return { ...one, of: named(one.of, path) }
    if (one.kind === 'union') return { ...one, of: one.of.map((each) => named(each, path)) }
    if (one.kind !== 'object') return one
    inner.push(...hoist({ name: path, shape: one, description: undefined }))
    return { kind: 'reference', name: path }
  }
  if (shape.kind !== 'object') return [{ name, shape: named(shape, `${name}Value`), description }, ...inner]
  const fields = shape.fields.map((field) => ({ ...field, shape: named(field.shape, name + toPascalCase(field.name)) }))
  return [{ name, shape: { ...shape, fields }, description }, ...inner]
}

/** Evaluated when the module is loaded, so names of types are quoted: they may be declared later. */
const renderAlias = ({ name, shape, description }: NamedShape): string =>
  `${name} = ${renderPythonShape(shape, 'quoted')}\n${renderDocString(description, '')}`

/** How the name of an event is told, and the fields beside it and the data. */
type Envelope = Readonly<{ tag: string; before: readonly string[] }>

const STREAMED: Envelope = {
  tag: 'name',
  before: ['id: str', '"""Pass it as `last_event_id` to go on after this event."""'],
}
const POSTED: Envelope = {
  tag: 'type',
  before: ['id: str', '"""The same in every attempt and every replay."""', 'timestamp: str', '"""When it happened."""'],
}

/** One class for all events with the same data, and the union of them, which type checkers narrow by the tag. */
function renderEvents(
  name: string,
  description: string,
  events: readonly EventType[],
  { tag, before }: Envelope,
): readonly string[] {
  const byType = [...Map.groupBy(events, ({ type }) => type)].map(([type, group]) => ({
    className: `${type.replace(/Data$/, '')}Event`,
    lines: [...before, `${tag}: Literal[${group.map(({ event }) => `"${event}"`).join(', ')}]`, `data: ${type}`],
  }))
  const classes = byType.map(
    ({ className, lines }) => `class ${className}(TypedDict):
${lines
  .map(
    (line) => `${INDENT}${line}
`,
  )
  .join('')}`,
  )
  const members = byType.map(
    ({ className }) => `${INDENT}${className},
`,
  )
  return [
    ...classes,
    `${name} = Union[
${members.join('')}]
${renderDocString(description, '')}`,
  ]
}

/** Required fields are in one class and optional ones in its subclass: NotRequired came with Python 3.11. */
function renderClass(name: string, { fields }: ObjectShape, description: string | undefined): string {
  const required = fields.filter(({ isRequired }) => isRequired)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  const bases = [
    ...keywordBase(`_${name}Keywords`, required, true),
    ...keywordBase(`_${name}OptionalKeywords`, optional, false),
  ]
  const names = bases.map((base) => base.name)
  const texts = bases.map((base) => base.text)
  if (required.length === 0 || optional.length === 0) {
    const kept = required.length === 0 ? optional : required
    return [...texts, declare({ name, bases: names, fields: kept, isTotal: optional.length === 0, description })].join(
      '\n',
    )
  }
  const inner = declare({
    name: `_${name}Required`,
    bases: names,
    fields: required,
    isTotal: true,
    description: undefined,
  })
  return [
    ...texts,
    inner,
    declare({ name, bases: [`_${name}Required`], fields: optional, isTotal: false, description }),
  ].join('\n')
}

type Base = Readonly<{ name: string; text: string }>

function keywordBase(name: string, fields: readonly Field[], isTotal: boolean): readonly Base[] {
  const keywords = fields.filter((field) => isKeyword(field.name))
  if (keywords.length === 0) return []
  const entries = keywords.map((field) => `"${field.name}": "${renderPythonShape(field.shape).replaceAll('"', "'")}"`)
  return [{ name, text: `${name} = TypedDict("${name}", {${entries.join(', ')}}${isTotal ? '' : ', total=False'})\n` }]
}

type Declared = Readonly<{
  name: string
  bases: readonly string[]
  fields: readonly Field[]
  isTotal: boolean
  description: string | undefined
}>

function declare({ name, bases, fields, isTotal, description }: Declared): string {
  const parents = [...(bases.length === 0 ? ['TypedDict'] : bases), ...(isTotal ? [] : ['total=False'])]
  const lines = fields
    .filter((field) => !isKeyword(field.name))
    .map(
      (field) =>
        `${INDENT}${field.name}: ${renderPythonShape(field.shape)}\n${renderDocString(field.description, INDENT)}`,
    )
  const doc = renderDocString(description, INDENT)
  const body = `${doc === '' ? '' : `${doc}\n`}${lines.join('')}`
  return `class ${name}(${parents.join(', ')}):\n${body === '' ? `${INDENT}pass\n` : body}`
}

export function renderPythonShape(shape: Shape, quoted?: 'quoted'): string {
  const inner = (one: Shape): string => renderPythonShape(one, quoted)
  switch (shape.kind) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'unknown':
      return 'Any'
    case 'reference':
      return quoted === undefined ? shape.name : `"${shape.name}"`
    case 'literals':
      return `Literal[${shape.values.map(renderLiteral).join(', ')}]`
    case 'list':
      return `List[${inner(shape.of)}]`
    case 'record':
      return `Dict[str, ${inner(shape.of)}]`
    case 'union':
      return renderPythonUnion(shape.of, inner)
    case 'object':
      throw new Error('an object inside of a type must have a name')
  }
}

const renderLiteral = (value: string | number | boolean): string => {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

function renderPythonUnion(shapes: readonly Shape[], inner: (shape: Shape) => string): string {
  const others = shapes.filter(({ kind }) => kind !== 'null').map(inner)
  const union = others.length === 1 ? (others[0] ?? 'Any') : `Union[${others.join(', ')}]`
  return others.length === shapes.length ? union : `Optional[${union}]`
}

export function renderDocString(description: string | undefined, indent: string): string {
  if (description === undefined) return ''
  const lines = wrap(description.replaceAll('\\', '\\\\').replaceAll('"""', "'''"), DOC_WIDTH - indent.length)
  if (lines.length === 1) return `${indent}"""${lines[0]}"""\n`
  return `${indent}"""\n${lines.map((line) => `${indent}${line}\n`).join('')}${indent}"""\n`
}
