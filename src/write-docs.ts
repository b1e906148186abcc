/** Generates the generated files in docs/; tests fail when they are out of date. */
import { mkdir, writeFile } from 'node:fs/promises'
import { renderErrorsPage } from './api/http/errors-page.ts'
import { renderOpenApi } from './api/http/openapi.ts'
import { EVENT_SCHEMAS, toSchemaFile } from './api/messages/event-schemas.ts'
import { renderConfigurationDocs } from './config/docs.ts'

const docs = new URL('../docs/', import.meta.url)
await mkdir(new URL('events/', docs), { recursive: true })
await writeFile(new URL('openapi.json', docs), await renderOpenApi())
await writeFile(new URL('errors.md', docs), renderErrorsPage())
await writeFile(new URL('configuration.md', docs), renderConfigurationDocs())
for (const [name, schema] of Object.entries(EVENT_SCHEMAS)) {
  const text = `${JSON.stringify(toSchemaFile(name, schema), null, 2)}\n`
  await writeFile(new URL(`events/${name}.schema.json`, docs), text)
}
