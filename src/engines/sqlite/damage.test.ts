/** Pages that become unreadable in an open database: an error that names the file, never an answer. */
import assert from 'node:assert/strict'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createdEntry, stopped } from '../../ports/samples.contract.ts'
import { DatabaseDamaged } from './damage.ts'
import { openReader } from './database.ts'
import { ReaderDriver } from './reader-driver.ts'
import { openSqlite } from './sqlite.ts'
import { newFolder, UNSEALED } from './store.fixture.ts'

const PAGE_BYTES = 8192
const open = (path: string) => openSqlite({ path, clock: stopped, ...UNSEALED, indexBodies: false })

/** A closed database large enough that opening it does not read most of it. */
async function filled(t: TestContext) {
  const path = join(newFolder(t), 'pombo.db')
  const entries = Array.from({ length: 300 }, () => createdEntry())
  await using engine = await open(path)
  await Promise.all(entries.map((entry) => engine.log.append(entry)))
  return { path, ids: entries.map(({ event }) => event.state.id), entries }
}

function spoil(path: string): void {
  const bytes = statSync(path).size - PAGE_BYTES
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(bytes, 0xa5), 0, bytes, PAGE_BYTES)
  closeSync(fd)
}

const names = (path: string) => (error: unknown) => {
  assert.ok(error instanceof DatabaseDamaged, String(error))
  assert.ok(error.message.startsWith(`${path} is damaged`), error.message)
  return true
}

test('unreadable data is reported as damage, not as missing, and a failed write is not stored', async (t) => {
  const { path, ids, entries } = await filled(t)
  await using engine = await open(path)
  spoil(path)
  const [id] = ids
  assert.ok(id !== undefined)
  await assert.rejects(async () => engine.log.latest(id), names(path))
  await assert.rejects(engine.log.read(id), names(path))
  for (const entry of entries.slice(0, 3)) await assert.rejects(engine.log.append(entry), names(path))
})

test('an unreadable search is reported as damage', async (t) => {
  const { path } = await filled(t)
  const db = openReader(path)
  await using driver = new ReaderDriver(db, {
    file: { reads: { count: () => db.prepare('select count(*) as count, max(events) from messages').get() } },
  })
  spoil(path)
  await assert.rejects(driver.call('file.count', []), names(path))
})
