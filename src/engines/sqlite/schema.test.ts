import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openWriter } from './database.ts'
import { EARLIER_VERSIONS } from './earlier-schemas.ts'
import { takeOver } from './messages/take-over.ts'
import { migrate, NewerSchema, SCHEMA_VERSION } from './schema.ts'
import { newFolder, newTables, openSealed } from './store.fixture.ts'

const versionOf = (db: DatabaseSync): unknown => db.prepare('pragma user_version').get()?.['user_version']
const tablesOf = (db: DatabaseSync): unknown[] =>
  db.prepare(`select sql from sqlite_schema where sql is not null order by name`).all()

test('an empty file gets all tables and the current version', (t) => {
  const db = newTables(t)
  assert.equal(versionOf(db), SCHEMA_VERSION)
  for (const table of ['messages', 'contents', 'names', 'filings', 'progress']) {
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

test('a file of any earlier version ends with the tables of a new one', (t) => {
  const fresh = tablesOf(newTables(t))
  const path = join(newFolder(t), 'pombo.db')
  for (const version of EARLIER_VERSIONS.keys()) {
    using db = new DatabaseSync(':memory:')
    db.exec(`${EARLIER_VERSIONS.slice(0, version + 1).join(';')}; pragma user_version = ${version + 1}`)
    migrate(db, path)
    takeOver(db, { path, sealer: openSealed })
    assert.deepEqual([versionOf(db), tablesOf(db)], [SCHEMA_VERSION, fresh], `version ${version + 1}`)
  }
})

test('a new file has nothing to take over', (t) => {
  const names = newTables(t).prepare(`select name from sqlite_schema where name like 'earlier%'`).all()
  assert.deepEqual(names, [])
})

test('the journal that belongs to an earlier file still does', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(`
    ${EARLIER_VERSIONS.join(';')}; pragma user_version = ${EARLIER_VERSIONS.length};
    insert into progress (name, position)
      values ('journal', 3), ('journal_owner', 4), ('journal_open', 1), ('ids', 5), ('recipients', 6);
  `)
  migrate(db, 'memory')
  const left = db.prepare('select name, position from progress order by name').all()
  assert.deepEqual(
    left.map(({ name, position }) => [name, position]),
    [
      ['journal', 3],
      ['journal_open', 1],
      ['journal_owner', 4],
    ],
  )
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
