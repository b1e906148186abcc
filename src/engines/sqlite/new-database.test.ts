import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openWriter } from './database.ts'
import { compact } from './new-database.ts'
import { newFolder } from './store.fixture.ts'

const autoVacuumOf = (db: DatabaseSync): unknown => db.prepare('pragma auto_vacuum').get()?.['auto_vacuum']
const INCREMENTAL = 2

test('a new file gives space back', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  using db = openWriter(path)
  assert.equal(autoVacuumOf(db), INCREMENTAL)
  assert.ok(!readdirSync(dirname(path)).includes('pombo.db.new'))
})

/** A file with much more space than it needs, as an earlier release created it. */
function someFile(t: TestContext) {
  const path = join(newFolder(t), 'pombo.db')
  const db = openWriter(path)
  t.after(() => db.close())
  db.exec(`
    pragma auto_vacuum = none; vacuum;
    create table kept as select 1 as n;
    create table gone as with recursive some (n) as (select 1 union all select n + 1 from some where n < 1000)
      select n, zeroblob(4000) from some;
    drop table gone;
    pragma wal_checkpoint(truncate);
  `)
  return { db, path }
}

test('compacts a file, and it gives space back from then on', (t) => {
  const { db, path } = someFile(t)
  const before = statSync(path).size
  compact(db, path)
  db.exec('pragma wal_checkpoint(truncate)')
  assert.ok(statSync(path).size < before / 2, `${statSync(path).size} of ${before} bytes`)
  assert.equal(autoVacuumOf(db), INCREMENTAL)
  assert.equal(db.prepare('select n from kept').get()?.['n'], 1)
})

test('where no copy can be made, the file stays as it is', (t) => {
  const { db, path } = someFile(t)
  const before = statSync(path).size
  compact(db, join(dirname(path), 'missing', 'pombo.db'))
  db.exec('pragma wal_checkpoint(truncate)')
  assert.equal(statSync(path).size, before)
  assert.equal(db.prepare('select n from kept').get()?.['n'], 1)
  compact(db, path)
  assert.equal(autoVacuumOf(db), INCREMENTAL)
})
