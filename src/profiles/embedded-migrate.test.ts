import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Config, loadConfig } from '../config/config.ts'
import { DataDirError } from '../config/data-dir.ts'
import { loadSecrets } from '../config/secrets.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import { DataFolderInUse, lockDataFolder } from '../engines/sqlite/database.ts'
import { EARLIER_VERSIONS } from '../engines/sqlite/earlier-schemas.ts'
import { writeEarlier } from '../engines/sqlite/messages/earlier-database.fixture.ts'
import type { OnTakeOver } from '../engines/sqlite/messages/take-over.ts'
import { SCHEMA_VERSION } from '../engines/sqlite/schema.ts'
import { migrateDatabase, rebuildIndex } from '../maintenance.ts'
import { createdEntry, someContent } from '../ports/samples.contract.ts'
import { openStoppedEmbedded } from './embedded.ts'

const noWait = (message: string): void => assert.fail(message)

function someFolder(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'pombo-migrate-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const config = loadConfig({ POMBO_DATA_DIR: dataDir }, () => '')
  const sealer = openSealer(loadSecrets(config).masterKey)
  const { event } = createdEntry()
  const write = () => writeEarlier(join(dataDir, 'pombo.db'), [{ events: [event], content: someContent() }], sealer)
  return { config, dataDir, write, id: event.state.id }
}

test('migrates the data folder of a stopped gateway, once', async (t) => {
  const { config, dataDir, write, id } = someFolder(t)
  write()
  const progress: number[][] = []
  const versions = { from: EARLIER_VERSIONS.length, to: SCHEMA_VERSION, known: SCHEMA_VERSION }
  const onProgress = (...report: number[]) => void progress.push(report)
  assert.deepEqual(await migrateDatabase(config, noWait, onProgress), { ...versions, events: 1 })
  assert.deepEqual(progress, [
    [0, 1],
    [1, 1],
  ])
  assert.deepEqual(await migrateDatabase(config, noWait, onProgress), { ...versions, from: SCHEMA_VERSION, events: 0 })
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes('journal')),
    [],
  )
  await using stopped = await openStoppedEmbedded(config, dataDir)
  assert.deepEqual((await stopped.log.load(id))?.content, someContent())
})

const COMMANDS = {
  rebuild: (config: Config, onMigration: OnTakeOver) => rebuildIndex(config, () => undefined, onMigration),
  import: async (config: Config, onMigration: OnTakeOver) => {
    await using _source = await openStoppedEmbedded(config, config.dataDir, onMigration)
  },
}

for (const [name, open] of Object.entries(COMMANDS)) {
  test(`${name} migrates a data folder of an earlier release too, and reports how far it is`, async (t) => {
    const { config, write } = someFolder(t)
    write()
    const progress: number[][] = []
    for (const _ of ['migrated', 'nothing to migrate']) await open(config, (...report) => progress.push(report))
    assert.deepEqual(progress, [
      [0, 1],
      [1, 1],
    ])
  })
}

test('refuses a folder without a database, and one that a gateway uses', async (t) => {
  const { config, dataDir, write } = someFolder(t)
  const migrate = () => migrateDatabase(config, noWait, () => undefined)
  await assert.rejects(migrate, DataDirError)
  write()
  using _gateway = lockDataFolder(dataDir)
  await assert.rejects(migrate, DataFolderInUse)
})
