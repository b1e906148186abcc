import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './test-world.ts'
import type { ImportedFolder, ImportFolder } from './world.ts'

const none = { all: 0, added: 0, left: 0 }
const IMPORTED: ImportedFolder = {
  messages: 2,
  events: 9,
  added: 8,
  tenants: { all: 1, added: 1, left: 0 },
  limits: { all: 3, added: 2, left: 1 },
  recipients: { all: 4, added: 1, left: 0 },
  templates: none,
  routes: { all: 1, added: 1, left: 0 },
  endpoints: { all: 2, added: 1, left: 1 },
  keys: { all: 2, added: 1, left: 0 },
  users: none,
  domains: none,
  challenges: { all: 2, added: 1, left: 1 },
  auditEntries: { all: 7, added: 6, left: 0 },
}
const importing = (imported: ImportedFolder) => ({ importFolder: async () => imported })

test('import prints what was imported, what was not, and why', async () => {
  const { code, out } = await run(['import', 'data'], importing(IMPORTED))
  const [messages, setup, audit, ...rest] = out.trimEnd().split('\n')
  assert.equal(code, 0)
  assert.equal(messages, 'imported 2 messages with 9 events (8 new) in 0 ms')
  const counts =
    '1 tenants, 2 limits, 4 recipients, 0 templates, 1 routes, 1 endpoints, 2 keys, 0 users, 0 domains, 1 challenges'
  assert.equal(setup, `imported ${counts} (8 new)`)
  assert.equal(audit, 'imported 7 entries of the audit log (6 new)')
  assert.equal(rest.length, 3)
  assert.match(rest[0] ?? '', /^not imported: 1 limits for single recipients, .*master key/)
  assert.match(rest[1] ?? '', /^not imported: 1 endpoints, .*master key/)
  assert.match(rest[2] ?? '', /^not imported: 1 open codes, .*master key/)
})

test('import does not mention what was not imported when there is nothing', async () => {
  const { out } = await run(
    ['import', 'data'],
    importing({ ...IMPORTED, limits: none, endpoints: none, challenges: none }),
  )
  assert.doesNotMatch(out, /not imported/)
})

test('import prints JSON with --json', async () => {
  const { out } = await run(['import', '--json', 'data'], importing(IMPORTED))
  assert.deepEqual(JSON.parse(out), { ...IMPORTED, took_ms: 0 })
})

test('import shows the migration of the folder on a terminal, and then its own progress', async () => {
  const parts: string[] = []
  const err = { write: (part: string) => void parts.push(part), isTerminal: true, hasColours: false }
  const importFolder: ImportFolder = async (_config, _folder, onProgress, onMigration) => {
    onMigration(30, 60)
    onProgress(9, 9)
    return IMPORTED
  }
  assert.equal((await run(['import', 'data'], { importFolder, err })).code, 0)
  assert.match(parts.join(''), /migrating .* 50 % {2}30\/60.*\n\s.*importing .* 100 % {2}9\/9.*\n$/)
})
