/** Generates the types and calls of the clients from docs/openapi.json and docs/events: `npm run clients`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CLIENTS, renderClients } from './clients.ts'

for (const [path, text] of Object.entries(renderClients())) {
  const file = join(CLIENTS, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
