/** The generated files of both clients. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDocuments } from './document.ts'
import { toEventTypes } from './event-types.ts'
import { toOperations } from './operations.ts'
import { renderPythonResources } from './python-resources.ts'
import { renderPythonTypes } from './python-types.ts'
import { type NamedShape, toShape } from './shapes.ts'
import { renderResources } from './typescript-resources.ts'
import { renderTypes } from './typescript-types.ts'

export const CLIENTS = join(import.meta.dirname, '..')
const DOCS = join(CLIENTS, '../docs')

/** Their texts, by the path below clients/. */
export function renderClients(docs = DOCS): Readonly<Record<string, string>> {
  const documents = readDocuments(docs)
  const operations = toOperations(documents.api)
  const events = toEventTypes(documents)
  const shapes = Object.entries(documents.api.components.schemas).map(
    ([name, schema]): NamedShape => ({ name, shape: toShape(schema, name), description: schema.description }),
  )
  const names = new Set([...shapes, ...events.shapes].map(({ name }) => name))
  const version = versionOf('node/package.json')
  return {
    'node/src/generated/types.ts': renderTypes(shapes, events, operations),
    'node/src/generated/resources.ts': renderResources(operations, names),
    'node/src/generated/version.ts': `// Generated from package.json by \`npm run clients\`.\nexport const VERSION = '${version}'\n`,
    'python/pombo_client/_version.py': `"""Generated from clients/node/package.json by \`npm run clients\`."""\n\nVERSION = "${version}"\n`,
    'python/pombo_client/types.py': renderPythonTypes(shapes, events),
    'python/pombo_client/_resources.py': renderPythonResources(operations, names),
  }
}

const versionOf = (manifest: string): string =>
  (JSON.parse(readFileSync(join(CLIENTS, manifest), 'utf8')) as { version: string }).version
