/** Old code on a new schema: it starts if the migrations declare it compatible, and otherwise says what to do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { addMigration, copyMigrations } from '../../../test/support/migrations.ts'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { UnsupportedPostgres } from './faults.ts'
import { migrate } from './migrate.ts'
import { latestVersion, readMigrations } from './migrations.ts'
import { openPostgresIndex } from './postgres.ts'
import { checkVersions, NewerSchema, type SchemaVersions } from './schema.ts'

const { migrated } = await sharePostgres()
const CODE = latestVersion()
const OLDEST = readMigrations().at(-1)?.oldestCompatible

/** A database that a later release has migrated with these. */
async function openNewer(...added: readonly string[]) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await copyMigrations())
  for (const sql of added) await addMigration(folder.path, 'more', sql)
  const database = opened.use(await migrated())
  await migrate(database.ownerUrl, { appRole: database.appRole, folder: folder.path })
  const closing = opened.move()
  return { ...database, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

const EXPAND = 'alter table pombo.messages add column more text'
const CONTRACT = `-- compatible-with: ${CODE + 1}\nalter table pombo.messages drop column more`

test('a schema fits its own code, and older code it is compatible with', () => {
  const refusalOf = (versions: SchemaVersions): string => {
    try {
      checkVersions(versions)
      return 'none'
    } catch (error) {
      assert.ok(error instanceof UnsupportedPostgres && error.exitCode === 78)
      return error.message
    }
  }
  assert.equal(refusalOf({ database: 12, oldestCompatible: 12, code: 12 }), 'none')
  assert.equal(refusalOf({ database: 14, oldestCompatible: 12, code: 13 }), 'none')
  assert.equal(refusalOf({ database: 14, oldestCompatible: 12, code: 12 }), 'none')
  assert.equal(
    refusalOf({ database: 14, oldestCompatible: 12, code: 11 }),
    'the database is at schema 14, which needs a release of schema 12 or newer, and this release is of schema 11: start a newer release, or restore a backup from before the upgrade',
  )
  assert.equal(
    refusalOf({ database: 12, oldestCompatible: 11, code: 13 }),
    'the database is at schema 12, but this release needs 13: run `pombo migrate`',
  )
})

test('code opens a schema that was only expanded since, and reports it once', async () => {
  await using database = await openNewer(EXPAND, 'create table pombo.more (n int)')
  const reported: SchemaVersions[] = []
  await using postgres = await openPostgresIndex({
    url: database.appUrl,
    onNewerSchema: (found) => reported.push(found),
  })
  await postgres.health()
  await postgres.health()
  assert.deepEqual(reported, [{ database: CODE + 2, oldestCompatible: OLDEST, code: CODE }])
})

test('code reports nothing for its own schema', async () => {
  await using database = await migrated()
  const reported: SchemaVersions[] = []
  await using postgres = await openPostgresIndex({
    url: database.appUrl,
    onNewerSchema: (found) => reported.push(found),
  })
  await postgres.health()
  assert.deepEqual(reported, [])
})

test('code refuses a schema that was contracted past it, and does not migrate it', async () => {
  await using database = await openNewer(EXPAND, CONTRACT)
  await assert.rejects(openPostgresIndex({ url: database.appUrl }), NewerSchema)
  await assert.rejects(migrate(database.ownerUrl, database), NewerSchema)
})

test('an older release that migrates after a rollback finds nothing to do', async () => {
  await using database = await openNewer(EXPAND)
  const to = CODE + 1
  assert.deepEqual(await migrate(database.ownerUrl, database), { from: to, to, known: CODE })
})

test('a schema without a stored compatibility fits only its own code', async () => {
  await using database = await migrated()
  const admin = new Client({ connectionString: database.adminUrl })
  await admin.connect()
  await admin.query('alter table pombo.schema_version drop column compatible_with')
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  await postgres.health()
  await admin.query('insert into pombo.schema_version (version) select max(version) + 1 from pombo.schema_version')
  await admin.end()
  await assert.rejects(openPostgresIndex({ url: database.appUrl }), NewerSchema)
})
