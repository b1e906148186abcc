/** Generates the generated files in docs/; tests fail when they are out of date. */
import { mkdir, writeFile } from 'node:fs/promises'
import { renderErrorsPage } from './api/http/errors-page.ts'
import { renderOpenApi } from './api/http/openapi.ts'
import { EVENT_SCHEMAS, SINK_SCHEMAS, toSchemaFile } from './api/messages/event-schemas.ts'
import { ALERT_SCHEMAS, BREAKER_EVENT_SCHEMA } from './api/webhooks/alert-schemas.ts'
import { renderConfigurationDocs } from './config/docs.ts'
import { LOG_LINE } from './observe/log-schema.ts'
import { renderMetricsDocs } from './observe/metrics/docs.ts'

const docs = new URL('../docs/', import.meta.url)
await mkdir(new URL('events/', docs), { recursive: true })
await writeFile(new URL('openapi.json', docs), await renderOpenApi())
await writeFile(new URL('errors.md', docs), renderErrorsPage())
await writeFile(new URL('configuration.md', docs), renderConfigurationDocs())
await writeFile(new URL('metrics.md', docs), await renderMetricsDocs())
await writeFile(new URL('log-line.schema.json', docs), `${JSON.stringify(LOG_LINE, null, 2)}\n`)
for (const [name, schema] of Object.entries({
  ...EVENT_SCHEMAS,
  ...SINK_SCHEMAS,
  ...ALERT_SCHEMAS,
  ...BREAKER_EVENT_SCHEMA,
})) {
  const text = `${JSON.stringify(toSchemaFile(name, schema), null, 2)}\n`
  await writeFile(new URL(`events/${name}.schema.json`, docs), text)
}
