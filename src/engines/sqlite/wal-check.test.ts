import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { DatabaseDamaged } from './damage.ts'
import { newFolder } from './store.fixture.ts'
import { checkWal } from './wal-check.ts'

const COMMITS = 20
const UNSYNCED = 4
const [HEADER_BYTES, FRAME_BYTES] = [32, 24 + 4096]

/** The files of a killed process: a commit of one page each. `isStarted` over: the log has been used before. */
function killed(t: TestContext, isStartedOver = false): string {
  const folder = newFolder(t)
  const [path, copy] = [join(folder, 'live.db'), join(folder, 'pombo.db')]
  using db = new DatabaseSync(path)
  db.exec('pragma journal_mode = wal; create table items (id integer primary key, name text)')
  const insert = db.prepare('insert into items (name) values (?)')
  const commit = (count: number): void => {
    for (let nth = 0; nth < count; nth += 1) insert.run(`item ${nth}`)
  }
  db.exec('pragma wal_checkpoint(truncate)')
  commit(COMMITS)
  if (isStartedOver) {
    db.exec('pragma wal_checkpoint(restart)')
    commit(2)
  }
  for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${copy}${end}`)
  return copy
}

function change(database: string, at: number, act: (byte: number) => number): void {
  const bytes = readFileSync(`${database}-wal`)
  bytes.writeUInt8(act(bytes.readUInt8(at)), at)
  writeFileSync(`${database}-wal`, bytes)
}

const flip = (database: string, at: number): void => change(database, at, (byte) => byte ^ 1)
const frameAt = (nth: number): number => HEADER_BYTES + nth * FRAME_BYTES

test('a log that was not synced to its end is fine', (t) => {
  const database = killed(t)
  checkWal(database, UNSYNCED)
  flip(database, frameAt(COMMITS - UNSYNCED) + 100)
  checkWal(database, UNSYNCED)
  for (const bytes of [frameAt(7) + 1000, frameAt(3), HEADER_BYTES, 10, 0]) {
    truncateSync(`${database}-wal`, bytes)
    checkWal(database, UNSYNCED)
  }
})

test('frames of a log that was started over since are not missed', (t) => {
  const database = killed(t, true)
  checkWal(database, UNSYNCED)
  flip(database, frameAt(0) + 100)
  checkWal(database, UNSYNCED)
})

test('damage in the middle is refused, again and again, and the log stays as it is', (t) => {
  const places = { page: frameAt(5) + 1000, frame: frameAt(9) + 10, first: frameAt(0) + 9, header: 5, salt: 18 }
  for (const [place, at] of Object.entries(places)) {
    const database = killed(t)
    flip(database, at)
    const log = readFileSync(`${database}-wal`)
    for (const _ of ['first', 'second']) {
      assert.throws(
        () => checkWal(database, UNSYNCED),
        (error) => error instanceof DatabaseDamaged && error.message.startsWith(`${database}-wal is damaged`),
        place,
      )
    }
    assert.deepEqual(readFileSync(`${database}-wal`), log)
  }
})
