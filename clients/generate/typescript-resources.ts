/** The calls of the Node client: a class per namespace, a method per operation. */
import type { Answer, Operation } from './operations.ts'
import { queryTypeOf, renderComment, renderShape } from './typescript-types.ts'
import { namesIn, toCamelCase, toPascalCase } from './words.ts'

const HEAD = `// Generated from docs/openapi.json by \`npm run clients\`.
import type { Pages } from '../pages.ts'
import { path } from '../path.ts'
import type { CallOptions, Transport } from '../transport.ts'
`

export function renderResources(operations: readonly Operation[], typeNames: ReadonlySet<string>): string {
  const namespaces = [...Map.groupBy(operations, ({ namespace }) => namespace)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  const classes = namespaces.map(([namespace, calls]) => renderClass(namespace, calls)).join('\n')
  const names = new Set([...typeNames, ...operations.filter(({ query }) => query.length > 0).map(queryTypeOf)])
  const used = namesIn(classes.replaceAll(/\/\*\*.*?\*\//gs, ''), names)
  const imports = `import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './types.ts'\n`
  return [`${HEAD}${imports}`, classes, renderRoot(namespaces.map(([namespace]) => namespace))].join('\n')
}

const classOf = (namespace: string): string => `${toPascalCase(namespace)}Calls`

const CONSTRUCTOR = `  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }
`

const renderClass = (namespace: string, operations: readonly Operation[]): string =>
  `export class ${classOf(namespace)} {\n${[CONSTRUCTOR, ...operations.map(renderMethod)].join('\n')}}\n`

function renderMethod(operation: Operation): string {
  const { method, summary, description, httpMethod, path, pathArguments, query, body, answer, repeatable } = operation
  const hasRequiredQuery = query.some(({ isRequired }) => isRequired)
  const parameters = [
    ...pathArguments.map(({ name, shape }) => `${toCamelCase(name)}: ${renderShape(shape, '')}`),
    ...(body === undefined ? [] : [`body: ${body.type}`]),
    ...(query.length === 0 ? [] : [`query${hasRequiredQuery ? '' : '?'}: ${queryTypeOf(operation)}`]),
    'options?: CallOptions',
  ]
  const call = [
    `method: '${httpMethod}'`,
    `path: path\`${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${${toCamelCase(name)}}`)}\``,
    ...(query.length === 0 ? [] : ['query']),
    ...(body === undefined ? [] : ['body']),
    `repeatable: '${repeatable}'`,
  ]
  const { verb, type } = toAnswering(answer)
  return (
    `${renderComment(`${summary}. ${description}`, '  ')}  ${method}(${parameters.join(', ')}): ${type} {\n` +
    `    return this.#transport.${verb}({ ${call.join(', ')} }, options)\n  }\n`
  )
}

/** The method of the transport that makes the call, and what ours returns. */
function toAnswering(answer: Answer): Readonly<{ verb: string; type: string }> {
  switch (answer.kind) {
    case 'json':
      return { verb: `json<${answer.type}>`, type: `Promise<${answer.type}>` }
    case 'list':
      return { verb: `pages<${answer.item}, ${answer.type}>`, type: `Pages<${answer.item}, ${answer.type}>` }
    case 'nothing':
      return { verb: 'nothing', type: 'Promise<void>' }
    case 'text':
      return { verb: 'text', type: 'Promise<string>' }
    case 'bytes':
      return { verb: 'bytes', type: 'Promise<Uint8Array>' }
    case 'lines':
      return { verb: 'lines', type: 'AsyncIterable<string>' }
  }
}

function renderRoot(namespaces: readonly string[]): string {
  const fields = namespaces.map((name) => `  readonly ${name}: ${classOf(name)}\n`)
  const assignments = namespaces.map((name) => `    this.${name} = new ${classOf(name)}(transport)\n`)
  return `/** Every call of the API by its resource. */
export class Resources {
${fields.join('')}
  constructor(transport: Transport) {
${assignments.join('')}  }
}
`
}
