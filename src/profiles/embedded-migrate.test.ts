import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../config/config.ts'
import { DataDirError } from '../config/data-dir.ts'
import { loadSecrets } from '../config/secrets.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import { DataFolderInUse, lockDataFolder } from '../engines/sqlite/database.ts'
import { writeEarlier } from '../engines/sqlite/messages/earlier-database.fixture.ts'
import { SCHEMA_VERSION } from '../engines/sqlite/schema.ts'
import { migrateDatabase } from '../maintenance.ts'
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
  const versions = { from: SCHEMA_VERSION - 1, to: SCHEMA_VERSION, known: SCHEMA_VERSION }
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

test('refuses a folder without a database, and one that a gateway uses', async (t) => {
  const { config, dataDir, write } = someFolder(t)
  const migrate = () => migrateDatabase(config, noWait, () => undefined)
  await assert.rejects(migrate, DataDirError)
  write()
  using _gateway = lockDataFolder(dataDir)
  await assert.rejects(migrate, DataFolderInUse)
})
