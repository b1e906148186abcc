import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { DatabaseDamaged } from './damage.ts'
import { openWriter } from './database.ts'
import { checkFile, restoringTo } from './file-check.ts'
import { newFolder } from './store.fixture.ts'

const PAGE_BYTES = 8192

/** A database that was filled and closed properly. */
function someDatabase(t: TestContext): string {
  const path = join(newFolder(t), 'pombo.db')
  const db = openWriter(path)
  db.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 200)
    insert into contents (n, secret, sealed) select i, randomblob(32), randomblob(800) from n
  `)
  db.close()
  return path
}

function overwrite(path: string, page: number, bytes: Buffer): void {
  const whole = readFileSync(path)
  bytes.copy(whole, page * PAGE_BYTES)
  writeFileSync(path, whole)
}

/** Refused by the check and by opening, with an error that names the file, and changed by neither. */
function assertRefused(path: string, sentence: RegExp): void {
  const folder = dirname(path)
  // Any reader creates the -shm file, which holds nothing that is not in the others.
  const names = (): string[] => readdirSync(folder).filter((name) => !name.endsWith('-shm'))
  const contents = (): unknown[] =>
    names().map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ])
  const before = contents()
  for (const look of [() => checkFile(path), () => openWriter(path)]) {
    assert.throws(look, (error: unknown) => {
      assert.ok(error instanceof DatabaseDamaged, String(error))
      assert.equal(error.exitCode, 78)
      assert.ok(error.message.includes(path), error.message)
      assert.match(error.message, sentence)
      return true
    })
  }
  assert.deepEqual(contents(), before)
}

test('reports a missing database as missing, and a sound one as sound, however it was left', (t) => {
  const path = someDatabase(t)
  assert.equal(checkFile(path), 'sound')
  assert.equal(checkFile(`${path}.other`), 'missing')
  const writer = openWriter(path)
  writer.exec(`insert into progress (name, position) values ('x', 1)`)
  assert.equal(checkFile(path), 'sound')
  writer.close()
})

test('refuses an empty file', (t) => {
  const path = someDatabase(t)
  writeFileSync(path, '')
  assertRefused(path, /is damaged \(it is empty\): restore a backup with `pombo restore`, or move it away/)
})

test('refuses a truncated file, wherever it was cut', (t) => {
  const path = someDatabase(t)
  const whole = readFileSync(path)
  for (const bytes of [1, 15, 50, 100, 1000, PAGE_BYTES, 3 * PAGE_BYTES + 7, whole.length - PAGE_BYTES]) {
    writeFileSync(path, whole)
    truncateSync(path, bytes)
    assertRefused(path, /is damaged/)
  }
})

test('refuses a file of other bytes', (t) => {
  const path = someDatabase(t)
  writeFileSync(path, Buffer.alloc(3 * PAGE_BYTES, 'x'))
  assertRefused(path, /is damaged \(file is not a database\)/)
})

test('finds a damaged page, unless the file is too large to be read whole', (t) => {
  const path = someDatabase(t)
  using db = new DatabaseSync(path)
  const root = Number(db.prepare(`select rootpage from sqlite_schema where name = 'contents'`).get()?.['rootpage'])
  db.close()
  overwrite(path, root - 1, Buffer.alloc(PAGE_BYTES, 0xa5))
  assertRefused(path, /is damaged \(.+\): restore a backup/)
  assert.equal(checkFile(path, 1), 'sound')
})

test('neither reads nor discards a write-ahead log whose database is gone', (t) => {
  const path = someDatabase(t)
  const writer = openWriter(path)
  writer.exec(`insert into progress (name, position) values ('x', 1)`)
  copyFileSync(`${path}-wal`, `${path}.log`)
  writer.close()
  rmSync(path)
  copyFileSync(`${path}.log`, `${path}-wal`)
  assertRefused(path, /is missing and its write-ahead log .*pombo\.db-wal is there/)
})

test('refuses damage beside a write-ahead log without touching either', (t) => {
  const path = someDatabase(t)
  const writer = openWriter(path)
  writer.exec(`insert into progress (name, position) values ('x', 1)`)
  const log = readFileSync(`${path}-wal`)
  writer.close()
  writeFileSync(path, Buffer.alloc(2 * PAGE_BYTES, 'x'))
  writeFileSync(`${path}-wal`, log)
  assertRefused(path, /is damaged/)
})

test('refuses the rest of an interrupted restore, and says what to do', (t) => {
  const path = someDatabase(t)
  writeFileSync(restoringTo(path), 'half of it')
  assertRefused(path, /a restore was interrupted .*run `pombo restore` again, or remove that file to go on/)
  rmSync(path)
  assert.throws(() => checkFile(path), /run `pombo restore` again$/)
})

test('a new database gets its name only when it is complete', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  writeFileSync(`${path}.new`, 'what a crash has left')
  openWriter(path).close()
  assert.equal(checkFile(path), 'sound')
  assert.equal(existsSync(`${path}.new`), false)
})
