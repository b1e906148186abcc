/** Migrating a database in use: no query waits long, and an interrupted migration is resumed. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { addMigration, copyMigrations } from '../../../test/support/migrations.ts'
import { sharePostgres, type TestDatabase } from '../../../test/support/postgres-server.ts'
import { until } from '../../../test/support/until.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type MigrateOptions, migrate } from './migrate.ts'
import { BASELINE, latestVersion, readMigrations } from './migrations.ts'

const { server, migrated } = await sharePostgres()
const LATEST = latestVersion()

const ADD_COLUMN = 'alter table pombo.messages add column more text'
const BUILD_INDEX = `-- transaction: none
create index concurrently if not exists messages_more on pombo.messages (tenant, status)`

/** A database, and a later release with these additional migrations. */
async function openUpgrade(...added: readonly string[]) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await copyMigrations())
  for (const sql of added) await addMigration(folder.path, 'more', sql)
  const database = opened.use(await migrated())
  const upgrade = (options: Partial<MigrateOptions> = {}) =>
    migrate(database.ownerUrl, { appRole: database.appRole, folder: folder.path, ...options })
  const closing = opened.move()
  return { database, upgrade, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

async function connect({ adminUrl }: TestDatabase) {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const versionOf = async (client: Client): Promise<number> =>
  Number((await client.query('select max(version) as version from pombo.schema_version')).rows[0]?.version)

/** Whether the index exists, and whether it is valid. */
const indexOf = async (client: Client): Promise<boolean | undefined> =>
  (await client.query(`select indisvalid from pg_index where indexrelid = to_regclass('pombo.messages_more')`)).rows[0]
    ?.indisvalid

test('a migration that cannot get its lock lets other queries pass, and tries again', { timeout: 60_000 }, async () => {
  await using site = await openUpgrade(ADD_COLUMN)
  await using reader = await connect(site.database)
  await using other = await connect(site.database)
  await reader.query('begin; select count(*) from pombo.messages')
  const waits: string[] = []
  const patience = { lockMs: 300, pausesMs: [50, 50, 50, 50] }
  const onWait = (sentence: string): void => {
    waits.push(sentence)
    if (waits.length === 2) void reader.query('commit')
  }
  const upgrading = site.upgrade({ patience, onWait })
  let slowestMs = 0
  await until('two tries in vain', async () => {
    const began = performance.now()
    await other.query('select count(*) from pombo.messages')
    slowestMs = Math.max(slowestMs, performance.now() - began)
    return waits.length >= 2
  })
  assert.deepEqual(await upgrading, { from: LATEST, to: LATEST + 1, known: LATEST + 1 })
  assert.ok(slowestMs < 2_000, `a query waited ${slowestMs} ms`)
  assert.match(waits[0] ?? '', /do\.more\.sql did not get its lock: .* trying again in 0\.05 s$/)
})

test('a migration that never gets its lock changes nothing, and says what to do', async () => {
  await using site = await openUpgrade(ADD_COLUMN)
  await using reader = await connect(site.database)
  await reader.query('begin; select count(*) from pombo.messages')
  await assert.rejects(site.upgrade({ patience: { lockMs: 50, pausesMs: [10, 10] } }), (error: unknown) => {
    assert.ok(error instanceof Unavailable)
    assert.match(error.message, /did not get its lock: .*pg_stat_activity.*run `pombo migrate` again/)
    return true
  })
  assert.equal(await versionOf(reader), LATEST)
})

test('drops and rebuilds an index whose build was interrupted', async () => {
  await using site = await openUpgrade(ADD_COLUMN, BUILD_INDEX)
  await using admin = await connect(site.database)
  await using reader = await connect(site.database)
  await reader.query('begin isolation level repeatable read; select count(*) from pg_class')
  const upgrading = assert.rejects(site.upgrade(), Unavailable)
  await until('the building to be killed', async () => {
    const killed = await admin.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ~ '^-- transaction' and wait_event_type = 'Lock'
    `)
    return killed.rowCount === 1
  })
  await upgrading
  assert.deepEqual([await versionOf(admin), await indexOf(admin)], [LATEST + 1, false])
  await reader.query('commit')
  assert.deepEqual(await site.upgrade(), { from: LATEST + 1, to: LATEST + 2, known: LATEST + 2 })
  assert.equal(await indexOf(admin), true)
})

test('keeps an index that was built before its version could be stored', async () => {
  await using site = await openUpgrade(ADD_COLUMN, BUILD_INDEX)
  await using admin = await connect(site.database)
  await site.upgrade()
  const oid = `select 'pombo.messages_more'::regclass::oid as oid`
  const before = await admin.query(oid)
  await admin.query(`delete from pombo.schema_version where version = ${LATEST + 2}`)
  await site.upgrade()
  assert.deepEqual((await admin.query(oid)).rows, before.rows)
  assert.equal(await versionOf(admin), LATEST + 2)
})

test('waiting migrators do not block a concurrent index build', async () => {
  await using site = await openUpgrade(BUILD_INDEX)
  const waits: string[] = []
  const all = await Promise.all(
    Array.from({ length: 3 }, () => site.upgrade({ onWait: (sentence) => waits.push(sentence) })),
  )
  assert.deepEqual(all.map(({ from }) => from).toSorted(), [LATEST, LATEST + 1, LATEST + 1])
  for (const sentence of waits) assert.match(sentence, /^another `pombo migrate` is running/)
})

/** The tables whose files changed since a version: they were rewritten row by row under a lock. */
async function rewrittenSince(version: number, ...added: readonly string[]): Promise<readonly string[]> {
  await using folder = await copyMigrations()
  for (const sql of added) await addMigration(folder.path, 'more', sql)
  await using older = await copyMigrations()
  const later = readMigrations(older.path).filter((migration) => migration.version > version)
  for (const { file } of later) await rm(join(older.path, file))
  await using database = await server.database()
  await using admin = await connect(database)
  const files = async () => (await admin.query(FILES)).rows as readonly { name: string; file: number }[]
  await migrate(database.ownerUrl, { appRole: database.appRole, folder: older.path })
  const before = await files()
  await migrate(database.ownerUrl, { appRole: database.appRole, folder: folder.path })
  const after = new Map((await files()).map(({ name, file }) => [name, file]))
  return before.flatMap(({ name, file }) => (after.has(name) && after.get(name) !== file ? [name] : []))
}
const FILES = `
  select relname as name, relfilenode as file from pg_class
  where relnamespace = 'pombo'::regnamespace and relkind = 'r' order by 1
`

test('no migration since the baseline rewrites a table', async () => {
  assert.deepEqual(await rewrittenSince(BASELINE, ADD_COLUMN), [])
  const rewrites = 'alter table pombo.messages alter column silent_since type numeric'
  assert.deepEqual(await rewrittenSince(BASELINE, rewrites), ['messages'])
})

const ROWS = 50_000
const FILL = `
  insert into pombo.messages (id, tenant, position, created_at, channel, lane, status, handoff_state, provider_state,
    dead, outcome_unknown, facts, state, forgotten)
  select gen_random_uuid(), 'demo', n, n, 'sms', 'bulk', 'delivered', 'handed_off', 'delivered', false, false,
    '["", "demo", "main", "sms", "sms", "bulk", 1]', '', false
  from generate_series(1, $1::int) n
`
/** Large enough that building the index takes long: without `concurrently` writers would be blocked. */
const SLOW_INDEX = [
  `alter table pombo.messages add column more text;
  create function pombo.slowly(text) returns text language plpgsql immutable as
  $$ begin for n in 1..1000 loop null; end loop; return $1; end $$`,
  `-- transaction: none
  create index concurrently if not exists messages_more on pombo.messages (pombo.slowly(status))`,
]

test(`builds an index on ${ROWS} messages while messages are written`, { timeout: 300_000 }, async (t) => {
  await using site = await openUpgrade(...SLOW_INDEX)
  await using admin = await connect(site.database)
  await using writer = await connect(site.database)
  const filling = performance.now()
  await admin.query(FILL, [ROWS])
  const began = performance.now()
  let isOver = false
  const upgrading = site.upgrade().finally(() => {
    isOver = true
  })
  const tookMs: number[] = []
  while (!isOver) {
    const from = performance.now()
    await writer.query(FILL, [1])
    tookMs.push(performance.now() - from)
  }
  await upgrading
  const [upgradeMs, slowestMs] = [performance.now() - began, Math.max(...tookMs)]
  t.diagnostic(JSON.stringify({ fillMs: began - filling, upgradeMs, slowestMs, written: tookMs.length }))
  assert.equal(await indexOf(admin), true)
  assert.ok(slowestMs < upgradeMs / 2, `a message waited ${slowestMs} of ${upgradeMs} ms`)
})
