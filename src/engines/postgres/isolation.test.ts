import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Client } from 'pg'
import { sharePostgres, type TestDatabase } from '../../../test/support/postgres-server.ts'
import { openPool } from './database.ts'
import { checkIsolation } from './isolation.ts'

const { server, migrated } = await sharePostgres()

async function findings(url: string): Promise<readonly string[]> {
  const pool = openPool(url)
  try {
    return await checkIsolation(pool)
  } finally {
    await pool.end()
  }
}

async function ask({ adminUrl }: TestDatabase, sql: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** A login with some attributes, for the duration of a test. */
async function openLogin(database: TestDatabase, attributes: string) {
  const name = `pombo_test_${randomBytes(4).toString('hex')}`
  await ask(database, `create role ${name} login password 'only-for-tests' ${attributes}`)
  const url = new URL(database.appUrl)
  url.username = name
  return { name, url: url.href, [Symbol.asyncDispose]: () => ask(database, `drop role ${name}`) }
}

test('a migrated database isolates tenants', async () => {
  await using database = await migrated()
  assert.deepEqual(await findings(database.appUrl), [])
})

test('finds a login that can bypass policies', async () => {
  await using database = await migrated()
  for (const attribute of ['superuser', 'bypassrls']) {
    await using login = await openLogin(database, attribute)
    const [first] = await findings(login.url)
    assert.match(first ?? '', new RegExp(`^the role "${login.name}" can bypass policies`))
  }
})

test('finds a login that owns the tables', async () => {
  await using database = await migrated()
  const found = await findings(database.ownerUrl)
  assert.deepEqual(
    found.map((sentence) => sentence.match(/owner of pombo\.(\w+)/)?.[1]),
    [
      'api_keys',
      'audit_log',
      'challenges',
      'count_changes',
      'counts',
      'domains',
      'endpoints',
      'erasures',
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
      'receipt_deliveries',
      'recipient_counts',
      'recipients',
      'routes',
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
    ],
  )
})

test('finds a login that sees everything without switching roles', async () => {
  await using database = await migrated()
  await using login = await openLogin(database, 'inherit in role pombo_system')
  const found = await findings(login.url)
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /has the rights of Pombo's roles all the time/)
})

test('finds tables without policies', async () => {
  const weakenings = [
    'alter table pombo.messages no force row level security',
    'alter table pombo.messages disable row level security',
    'drop policy tenant on pombo.messages; drop policy system on pombo.messages',
  ]
  for (const weakening of weakenings) {
    await using database = await migrated()
    await ask(database, weakening)
    const found = await findings(database.appUrl)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^pombo\.messages has no forced row-level security/)
  }
  await using database = await migrated()
  await ask(database, 'create table pombo.secrets (tenant text); create table pombo.shared (n int)')
  assert.match((await findings(database.appUrl)).join(), /^pombo\.secrets has no forced row-level security/)
})

test('a database without tables is not safe', async () => {
  await using database = await server.database()
  assert.match((await findings(database.appUrl)).join(), /no Pombo tables/)
})
