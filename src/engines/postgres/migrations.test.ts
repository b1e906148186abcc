import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMigration, copyMigrations } from '../../../test/support/migrations.ts'
import { BASELINE, latestVersion, readMigrations } from './migrations.ts'

const LATEST = latestVersion()
const [NEWEST] = readMigrations().slice(-1)

/** The last migrations of a folder in which these follow ours. */
async function readAfter(...added: readonly string[]) {
  await using folder = await copyMigrations()
  for (const sql of added) await addMigration(folder.path, 'more', sql)
  return readMigrations(folder.path).slice(LATEST)
}

test('versions have no gaps', () => {
  assert.deepEqual(
    readMigrations().map(({ version }) => version),
    Array.from({ length: LATEST }, (_, index) => index + 1),
  )
})

test('a migration without declarations runs in a transaction and stays compatible with all code', async () => {
  const [expand] = await readAfter('create table pombo.more (n int)')
  assert.deepEqual(
    [expand?.version, expand?.isTransactional, expand?.oldestCompatible],
    [LATEST + 1, true, NEWEST?.oldestCompatible],
  )
})

test('a contracting migration excludes older code, and so do all after it', async () => {
  const found = await readAfter('select 1', `-- compatible-with: ${LATEST + 1}\ndrop table pombo.more`, 'select 1')
  assert.deepEqual(
    found.map(({ oldestCompatible }) => oldestCompatible),
    [NEWEST?.oldestCompatible, LATEST + 1, LATEST + 1],
  )
})

test('only the comment at the top declares anything', async () => {
  const [built, other] = await readAfter(
    '-- Found by name.\n-- transaction: none\ncreate index concurrently …',
    'select 1;\n-- transaction: none\n',
  )
  assert.deepEqual([built?.isTransactional, other?.isTransactional], [false, true])
})

test('refuses an invalid declaration', async () => {
  for (const oldest of [LATEST + 1, LATEST + 2, BASELINE - 1, 'all']) {
    await assert.rejects(readAfter(`-- compatible-with: ${oldest}\nselect 1`), /name a version from 11 to/)
  }
  await assert.rejects(readAfter('-- transaction: maybe\nselect 1'), /the only value is "none"/)
})
