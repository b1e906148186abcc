import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from './test-world.ts'
import type { MigrateDatabase, Migrated } from './world.ts'

const migrating =
  (migrated: Migrated): MigrateDatabase =>
  async () =>
    migrated

test('says what a migration has done', async () => {
  const summaryOf = async (migrated: Migrated): Promise<string> =>
    (await run(['migrate'], { migrateDatabase: migrating(migrated) })).out
  assert.equal(await summaryOf({ from: 3, to: 5, known: 5 }), 'migrated the schema from version 3 to 5\n')
  assert.equal(await summaryOf({ from: 5, to: 5, known: 5 }), 'the schema is already at version 5\n')
  assert.equal(
    await summaryOf({ from: 6, to: 6, known: 5 }),
    'the schema is already at version 6; this release expects version 5 and works with it\n',
  )
  assert.equal(
    await summaryOf({ from: 9, to: 10, known: 10, events: 70 }),
    'migrated the schema from version 9 to 10; took over 70 events of an earlier release\n',
  )
  assert.equal(await summaryOf({ from: 10, to: 10, known: 10, events: 0 }), 'the schema is already at version 10\n')
})

test('prints the result as JSON', async () => {
  const { out } = await run(['migrate', '--json'], {
    migrateDatabase: migrating({ from: 9, to: 10, known: 10, events: 7 }),
  })
  assert.deepEqual(JSON.parse(out), { from: 9, to: 10, events: 7 })
})

test('shows its progress on a terminal', async () => {
  const lines: string[] = []
  const err = { write: (text: string) => void lines.push(text), isTerminal: true, hasColours: false }
  const migrateDatabase: MigrateDatabase = async (_config, onWait, onProgress) => {
    onWait('waiting for another migration')
    onProgress(30, 60)
    return { from: 9, to: 10, known: 10, events: 60 }
  }
  assert.equal((await run(['migrate'], { migrateDatabase, err })).code, 0)
  assert.match(lines.join(''), /pombo: waiting for another migration/)
  assert.match(lines.join(''), /migrating .* 50 % {2}30\/60/)
})
