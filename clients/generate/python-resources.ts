/** The calls of the Python client: a class per namespace, a method per operation, fields as keyword arguments. */
import type { Operation } from './operations.ts'
import { isKeyword, renderDocString, renderPythonShape } from './python-types.ts'
import type { Field } from './shapes.ts'
import { namesIn, toPascalCase, toSnakeCase } from './words.ts'

const HEAD = `"""Generated from docs/openapi.json by \`npm run clients\`."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union

from ._call import NOT_GIVEN, Call, Maybe, path
from ._pages import Pages
from ._transport import Transport
`
const INDENT = '    '

export function renderPythonResources(operations: readonly Operation[], typeNames: ReadonlySet<string>): string {
  const namespaces = [...Map.groupBy(operations, ({ namespace }) => namespace)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  const classes = namespaces.map(([namespace, calls]) => renderClass(namespace, calls)).join('\n\n')
  const used = namesIn(classes.replaceAll(/""".*?"""/gs, ''), typeNames)
  const imports = `from .types import (\n${used.map((name) => `${INDENT}${name},\n`).join('')})\n`
  return [`${HEAD}${imports}`, classes, renderRoot(namespaces.map(([namespace]) => namespace))].join('\n\n')
}

const classOf = (namespace: string): string => `${toPascalCase(namespace)}Calls`

const CONSTRUCTOR = `${INDENT}def __init__(self, transport: Transport) -> None:
        self._transport = transport
`

const renderClass = (namespace: string, operations: readonly Operation[]): string =>
  `class ${classOf(namespace)}:\n${[CONSTRUCTOR, ...operations.map(renderMethod)].join('\n')}`

/** `from` is a keyword, so the argument is `from_`, as elsewhere in Python. */
const argumentOf = (name: string): string => (isKeyword(name) ? `${name}_` : name)

function renderMethod(operation: Operation): string {
  const { method, summary, description, pathArguments, query, body } = operation
  const fields = [...(body?.fields ?? []), ...query]
  const names = [...pathArguments, ...fields].map(({ name }) => name)
  const twice = names.find((name, n) => names.indexOf(name) !== n)
  if (twice !== undefined) throw new Error(`${operation.id} has two arguments with the name ${twice}`)
  // One of several objects is an argument as a whole, because it has no fields of its own.
  const whole = body?.fields === undefined ? body : undefined
  const parameters = [
    'self',
    ...pathArguments.map(({ name, shape }) => `${argumentOf(name)}: ${renderPythonShape(shape)}`),
    ...(whole === undefined ? [] : [`body: ${whole.type}`]),
    '*',
    ...fields.toSorted(requiredFirst).map(renderParameter),
    ...(takesKey(operation) ? ['idempotency_key: Optional[str] = None'] : []),
    'request_timeout: Optional[float] = None',
  ]
  const { verb, type } = toAnswering(operation)
  const call = `self._transport.${verb}(${renderCall(operation)})`
  const inner = INDENT + INDENT
  return (
    `${INDENT}def ${argumentOf(toSnakeCase(method))}(\n` +
    `${parameters.map((one) => `${INDENT}${INDENT}${one},\n`).join('')}${INDENT}) -> ${type}:\n` +
    `${renderDocString(`${summary}. ${description}`, inner)}` +
    (verb === 'json' ? `${inner}answer: ${type} = ${call}\n${inner}return answer\n` : `${inner}return ${call}\n`)
  )
}

const requiredFirst = (one: Field, other: Field): number => Number(other.isRequired) - Number(one.isRequired)

const renderParameter = ({ name, shape, isRequired }: Field): string => {
  const type = renderPythonShape(shape)
  return isRequired ? `${argumentOf(name)}: ${type}` : `${argumentOf(name)}: Maybe[${type}] = NOT_GIVEN`
}

/** Where the body has a field for it, the key is already among the arguments. */
const takesKey = ({ repeatable, body }: Operation): boolean =>
  repeatable === 'with-key' && !body?.fields?.some(({ name }) => name === 'idempotency_key')

function renderCall(operation: Operation): string {
  const { httpMethod, path, pathArguments, query, body, repeatable } = operation
  const inner = INDENT.repeat(3)
  const dict = (fields: readonly Field[]): string =>
    `{${fields.map(({ name }) => `"${name}": ${argumentOf(name)}`).join(', ')}}`
  const args = [`"${path}"`, ...pathArguments.map(({ name }) => `${name}=${argumentOf(name)}`)]
  const lines = [
    `"${httpMethod}"`,
    `path(${args.join(', ')})`,
    `repeatable="${repeatable}"`,
    ...(query.length === 0 ? [] : [`query=${dict(query)}`]),
    ...(body === undefined ? [] : [`body=${body.fields === undefined ? 'body' : dict(body.fields)}`]),
    ...(takesKey(operation) ? ['idempotency_key=idempotency_key'] : []),
    'timeout=request_timeout',
  ]
  return `\n${inner}Call(\n${lines.map((line) => `${inner}${INDENT}${line},\n`).join('')}${inner})\n${INDENT}${INDENT}`
}

/** The method of the transport that makes the call, and what ours returns. */
function toAnswering({ answer }: Operation): Readonly<{ verb: string; type: string }> {
  switch (answer.kind) {
    case 'json':
      return { verb: 'json', type: answer.type }
    case 'list':
      return { verb: 'pages', type: `Pages[${answer.item}, ${answer.type}]` }
    case 'nothing':
      return { verb: 'nothing', type: 'None' }
    case 'text':
      return { verb: 'text', type: 'str' }
    case 'bytes':
      return { verb: 'content', type: 'bytes' }
    case 'lines':
      return { verb: 'lines', type: 'Iterator[str]' }
  }
}

function renderRoot(namespaces: readonly string[]): string {
  const assignments = namespaces.map(
    (name) => `${INDENT}${INDENT}self.${toSnakeCase(name)} = ${classOf(name)}(transport)\n`,
  )
  return `class Resources:\n${INDENT}"""Every call of the API by its resource."""\n\n${INDENT}def __init__(self, transport: Transport) -> None:\n${assignments.join('')}`
}
