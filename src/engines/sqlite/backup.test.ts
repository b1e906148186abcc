import assert from 'node:assert/strict'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { someAuditEntry } from '../../ports/audit-log.contract.ts'
import { createdEntry, NOON, stopped } from '../../ports/samples.contract.ts'
import { copyDatabase, dropNote, readBackup, UnusableBackup } from './backup.ts'
import { DatabaseDamaged } from './damage.ts'
import { NewerSchema, SCHEMA_VERSION } from './schema.ts'
import { openSqlite } from './sqlite.ts'
import { newFolder, openSealed, UNSEALED } from './store.fixture.ts'

const SECRET = 'a master key that nobody may find'
const NOTE = { madeAt: NOON, keys: {} }

async function filled(t: TestContext, messages = 3) {
  const path = join(newFolder(t), 'pombo.db')
  const engine = await openSqlite({ path, clock: stopped, ...UNSEALED, indexBodies: true })
  t.after(() => engine[Symbol.asyncDispose]())
  for (let sent = 0; sent < messages; sent += 1) await engine.log.append(createdEntry())
  const tip = await engine.log.tip()
  await until('everything to be filed', async () => (await engine.index.position()) === tip)
  return { path, engine, target: `${path}.backup` }
}

test('a copy holds everything committed before, including what is only in the write-ahead log', async (t) => {
  const { path, engine, target } = await filled(t)
  copyDatabase(path, target, NOTE)
  await engine.log.append(createdEntry())
  const { bytes, ...backup } = readBackup(target)
  assert.equal(bytes, readFileSync(target).length)
  const expected = { schema: SCHEMA_VERSION, messages: 3, events: 3, mark: openSealed.mark, madeAt: NOON, keys: {} }
  assert.deepEqual(backup, { ...expected, waiting: 3 })
  using db = new DatabaseSync(target, { readOnly: true })
  assert.equal(db.prepare('pragma journal_mode').get()?.['journal_mode'], 'delete', 'one file and no log beside it')
})

test('a copy carries what is only in the journal, and opening it files that', async (t) => {
  const { path, engine, target } = await filled(t)
  const entry = createdEntry()
  await engine.log.append(entry)
  copyDatabase(path, target, NOTE)
  assert.equal(readBackup(target).messages, 3)
  await using restored = await openSqlite({ path: target, clock: stopped, ...UNSEALED, indexBodies: true })
  assert.deepEqual((await restored.log.load(entry.event.state.id))?.content, entry.content)
  assert.deepEqual([await restored.log.tip(), await restored.index.position()], [4, 4])
  assert.deepEqual(
    (await restored.queue.depth()).map(({ ready }) => ready),
    [0, 4, 0],
  )
})

test('a copy has the audit log, which still refuses changes', async (t) => {
  const { path, engine, target } = await filled(t)
  const entry = someAuditEntry()
  await engine.auditLog.append(entry)
  copyDatabase(path, target, NOTE)
  await using restored = await openSqlite({ path: target, clock: stopped, ...UNSEALED, indexBodies: true })
  assert.deepEqual(await restored.auditLog.list({ limit: 10 }), [entry])
  using db = new DatabaseSync(target)
  assert.throws(() => db.exec('delete from audit_log'), /cannot be deleted/)
})

test('keys are included only if given, and leave no trace when the note is dropped', async (t) => {
  const { path, target } = await filled(t)
  copyDatabase(path, target, { madeAt: NOON, keys: { 'master.key': SECRET } })
  assert.deepEqual(readBackup(target).keys, { 'master.key': SECRET })
  dropNote(target)
  assert.equal(readFileSync(target).includes(SECRET), false)
  assert.deepEqual(readBackup(target).keys, {})
  assert.equal(readBackup(target).madeAt, undefined)
})

test('does not copy keys that a database holds by mistake', async (t) => {
  const { path, target } = await filled(t)
  copyDatabase(path, target, { madeAt: NOON, keys: { 'master.key': SECRET } })
  copyDatabase(target, `${target}.second`, NOTE)
  assert.deepEqual(readBackup(`${target}.second`).keys, {})
  assert.equal(readFileSync(`${target}.second`).includes(SECRET), false)
})

test('refuses to copy a damaged database, and names it', async (t) => {
  const { path, target } = await filled(t)
  copyDatabase(path, target, NOTE)
  truncateSync(target, 8192)
  assert.throws(
    () => copyDatabase(target, `${target}.second`, NOTE),
    (error: unknown) => error instanceof DatabaseDamaged && error.message.includes(target),
  )
})

test('refuses to read a file that is no backup, damaged or too new', async (t) => {
  const { path, target } = await filled(t, 200)
  copyDatabase(path, target, NOTE)
  const whole = readFileSync(target)
  const refused = (bytes: Buffer, sentence: RegExp): void => {
    writeFileSync(target, bytes)
    const isRefused = (error: unknown): boolean =>
      error instanceof UnusableBackup && error.message.startsWith('the file') && sentence.test(error.message)
    assert.throws(() => readBackup(target, 'the file'), isRefused)
  }
  refused(Buffer.alloc(0), /it is empty/)
  refused(Buffer.alloc(8192, 'x'), /not a database/)
  refused(whole.subarray(0, whole.length - 4096), /malformed/)
  const rotten = Buffer.from(whole)
  const page = 8192 * Math.floor(whole.length / 2 / 8192)
  rotten.fill(0xa5, page, page + 8192)
  refused(rotten, /./)
  const flipped = Buffer.from(whole.toString('latin1').replaceAll('"MessageCreated"', '"messageCreated"'), 'latin1')
  refused(flipped, /message \d+ has a wrong checksum/)

  const other = new DatabaseSync(`${target}.other`)
  other.exec('create table a (b)')
  other.close()
  refused(readFileSync(`${target}.other`), /not a database of Pombo/)

  writeFileSync(target, whole)
  const newer = new DatabaseSync(target)
  newer.exec(`pragma user_version = ${SCHEMA_VERSION + 1}`)
  newer.close()
  assert.throws(() => readBackup(target), NewerSchema)
})
