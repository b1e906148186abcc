import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openWriter } from './database.ts'
import { migrate, NewerSchema, SCHEMA_VERSION } from './schema.ts'
import { newFolder, newTables } from './store.fixture.ts'

const versionOf = (db: DatabaseSync): unknown => db.prepare('pragma user_version').get()?.['user_version']
const tablesOf = (db: DatabaseSync): unknown[] =>
  db.prepare(`select sql from sqlite_schema where sql is not null order by name`).all()

test('an empty file gets all tables and the current version', (t) => {
  const db = newTables(t)
  assert.equal(versionOf(db), SCHEMA_VERSION)
  for (const table of ['messages', 'events', 'keys', 'listing', 'progress']) {
    assert.equal(db.prepare(`select count(*) as count from ${table}`).get()?.['count'], 0)
  }
})

test('leaves a file of the current version unchanged', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const before = openWriter(path)
  before.exec(`insert into progress (name, position) values ('index', 7)`)
  const tables = tablesOf(before)
  before.close()
  const after = openWriter(path)
  assert.deepEqual(tablesOf(after), tables)
  assert.equal(after.prepare('select position from progress').get()?.['position'], 7)
  after.close()
})

test('migrates a file of an older version, whatever else is in it', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const older = new DatabaseSync(path)
  older.exec('create table something_else (n integer) strict; insert into something_else values (1)')
  assert.equal(versionOf(older), 0)
  older.close()
  const db = openWriter(path)
  assert.equal(versionOf(db), SCHEMA_VERSION)
  assert.equal(db.prepare('select n from something_else').get()?.['n'], 1)
  db.close()
})

test('refuses a file of a newer version with exit code 78 and says what to do', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const newer = new DatabaseSync(path)
  newer.exec(`pragma user_version = ${SCHEMA_VERSION + 1}`)
  assert.throws(
    () => migrate(newer, path),
    (error: unknown) => {
      assert.ok(error instanceof NewerSchema)
      assert.equal(error.exitCode, 78)
      assert.ok(error.message.startsWith(`${path} was written by a newer release (schema ${SCHEMA_VERSION + 1};`))
      assert.match(error.message, /start that release, or restore a backup/)
      return true
    },
  )
  assert.deepEqual([versionOf(newer), tablesOf(newer)], [SCHEMA_VERSION + 1, []])
  newer.close()
})

test('a failing step, even the last one, leaves the file at its version', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const odd = new DatabaseSync(path)
  odd.exec('create table suppressions (other integer)')
  assert.throws(() => migrate(odd, path), /already exists/)
  odd.close()
  const again = new DatabaseSync(path)
  assert.deepEqual([versionOf(again), tablesOf(again).length], [0, 1])
  again.close()
})
