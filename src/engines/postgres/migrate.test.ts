import assert from 'node:assert/strict'
import { appendFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { addMigration, copyMigrations } from '../../../test/support/migrations.ts'
import { sharePostgres, type TestDatabase } from '../../../test/support/postgres-server.ts'
import { UnsupportedPostgres } from './faults.ts'
import { migrate } from './migrate.ts'
import { latestVersion } from './migrations.ts'
import { openPostgresIndex } from './postgres.ts'
import { checkServer } from './schema.ts'

const { server, migrated } = await sharePostgres()
const LATEST = latestVersion()

async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** The complete schema, including policies and rights. */
const SHAPE = `
  select 'column' as kind, attrelid::regclass || '.' || attname || ' ' || atttypid::regtype as what
  from pg_attribute a join pg_class c on c.oid = attrelid
  where relnamespace = 'pombo'::regnamespace and attnum > 0
  union all select 'policy', polrelid::regclass || ' ' || polname || ' ' || pg_get_expr(polqual, polrelid) from pg_policy
  union all select 'rights', relname || ' ' || relacl::text from pg_class where relnamespace = 'pombo'::regnamespace
  union all select 'version', version || ' ' || coalesce(md5, '') from pombo.schema_version
  order by 1, 2
`
const shapeOf = ({ adminUrl }: TestDatabase) => ask(adminUrl, SHAPE)
const tablesOf = async ({ adminUrl }: TestDatabase) =>
  (await ask(adminUrl, `select relname from pg_class where relnamespace = to_regnamespace('pombo') and relkind = 'r'`))
    .map(({ relname }) => relname)
    .toSorted()

const unfit = (said: RegExp) => (error: unknown) => {
  assert.ok(error instanceof UnsupportedPostgres, String(error))
  assert.equal(error.exitCode, 78)
  assert.match(error.message, said)
  return true
}

test('an empty database gets all tables, and is usable', async () => {
  await using database = await server.database()
  assert.deepEqual(await migrate(database.ownerUrl, database), { from: 0, to: LATEST, known: LATEST })
  assert.deepEqual(await tablesOf(database), [
    'api_keys',
    'audit_log',
    'challenges',
    'count_changes',
    'counts',
    'domains',
    'endpoints',
    'erasures',
    'error_categories',
    'limit_counts',
    'limit_rules',
    'limited_sends',
    'message_copies',
    'message_events',
    'message_parts',
    'messages',
    'newest_challenges',
    'operator_limit_rules',
    'partial_messages',
    'progress',
    'provider_results',
    'raised_alerts',
    'receipt_deliveries',
    'recipient_counts',
    'recipients',
    'rounds',
    'routes',
    'schema_version',
    'sessions',
    'shapes',
    'stored_bytes',
    'suppressions',
    'templates',
    'tenants',
    'timelines',
    'usage_records',
    'users',
    'webhook_attempts',
    'webhook_deliveries',
  ])
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  await postgres.health()
})

test('migrating again changes nothing', async () => {
  await using database = await migrated()
  const shape = await shapeOf(database)
  assert.deepEqual(await migrate(database.ownerUrl, database), { from: LATEST, to: LATEST, known: LATEST })
  assert.deepEqual(await shapeOf(database), shape)
})

test('of several concurrent migrators one migrates, and the others find it done', async () => {
  await using database = await server.database()
  const all = await Promise.all(Array.from({ length: 4 }, () => migrate(database.ownerUrl, database)))
  assert.deepEqual(all.map(({ from }) => from).toSorted(), [0, LATEST, LATEST, LATEST])
  await using reference = await migrated()
  assert.deepEqual(await shapeOf(database), await shapeOf(reference))
})

test('migrates a database of an older version, and keeps its data', async () => {
  await using folder = await copyMigrations()
  await addMigration(folder.path, 'more', 'alter table pombo.progress add column more text')
  await using database = await migrated()
  await ask(database.adminUrl, `insert into pombo.progress values ('index', 7)`)
  const options = { appRole: database.appRole, folder: folder.path }
  assert.deepEqual(await migrate(database.ownerUrl, options), { from: LATEST, to: LATEST + 1, known: LATEST + 1 })
  assert.deepEqual(await ask(database.adminUrl, 'select * from pombo.progress'), [
    { name: 'index', position: '7', more: null },
  ])
})

test('refuses to run when a migration was edited after it ran', async () => {
  await using folder = await copyMigrations()
  await appendFile(join(folder.path, '002.do.messages.sql'), '\n-- one more line')
  await addMigration(folder.path, 'more', 'create table pombo.more (n int)')
  await using database = await migrated()
  const shape = await shapeOf(database)
  const options = { appRole: database.appRole, folder: folder.path }
  await assert.rejects(migrate(database.ownerUrl, options), unfit(/002\.do\.messages\.sql was changed after it ran/))
  assert.deepEqual(await shapeOf(database), shape)
})

test('a failing migration leaves the database at the version before it, and can be fixed', async () => {
  await using folder = await copyMigrations()
  await addMigration(folder.path, 'more', 'create table pombo.more (n int); select 1 / 0')
  await using database = await server.database()
  const options = { appRole: database.appRole, folder: folder.path }
  await assert.rejects(migrate(database.ownerUrl, options), { code: '22012' })
  await using reference = await migrated()
  assert.deepEqual(await shapeOf(database), await shapeOf(reference))
  assert.deepEqual(await migrate(database.ownerUrl, database), { from: LATEST, to: LATEST, known: LATEST })
})

test('a failing first migration leaves nothing behind', async () => {
  await using folder = await copyMigrations()
  await appendFile(join(folder.path, '001.do.roles.sql'), '\nselect 1 / 0')
  await using database = await server.database()
  await assert.rejects(migrate(database.ownerUrl, { appRole: database.appRole, folder: folder.path }), {
    code: '22012',
  })
  assert.deepEqual(await tablesOf(database), [])
})

test('refuses a database without tables or with older ones, and says what to do', async () => {
  await using database = await server.database()
  await assert.rejects(openPostgresIndex({ url: database.appUrl }), unfit(/no Pombo tables yet: run `pombo migrate`/))
  await using folder = await copyMigrations()
  const later = (await readdir(folder.path)).filter((name) => Number.parseInt(name, 10) > 2)
  await Promise.all(later.map((name) => rm(join(folder.path, name))))
  await migrate(database.ownerUrl, { appRole: database.appRole, folder: folder.path })
  const said = new RegExp(`at schema 2, but this release needs ${LATEST}: run \`pombo migrate\``)
  await assert.rejects(openPostgresIndex({ url: database.appUrl }), unfit(said))
})

test('reports an unknown login or one without rights, without a secret', async () => {
  await using database = await migrated()
  await assert.rejects(
    migrate(database.ownerUrl, { appRole: 'no "one"' }),
    unfit(/the role "no "one"" does not exist: create it/),
  )
  await using empty = await server.database()
  await assert.rejects(
    migrate(empty.appUrl, empty),
    unfit(/permission denied .*: migrate as the owner of the database/),
  )
  await assert.rejects(
    openPostgresIndex({ url: database.ownerUrl }),
    unfit(/this login has no rights on the Pombo tables/),
  )
  const wrong = new URL(database.appUrl)
  wrong.password = 'a-secret'
  const nowhere = new URL(database.appUrl)
  nowhere.pathname = 'nowhere'
  for (const url of [wrong, nowhere]) {
    await assert.rejects(openPostgresIndex({ url: url.href }), (error: Error) => {
      unfit(/refused the login: .*; correct its URL/)(error)
      assert.doesNotMatch(error.message, /a-secret/)
      return true
    })
  }
})

test('refuses a server that is too old', () => {
  checkServer(15)
  assert.throws(() => checkServer(14), unfit(/PostgreSQL 14 is too old: Pombo needs 15 or newer/))
})
