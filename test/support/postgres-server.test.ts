import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { openPostgres } from './postgres-server.ts'

async function ask(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

const ATTRIBUTES = `
  select rolsuper, rolbypassrls, rolcreaterole, pg_get_userbyid(datdba) = current_user
  from pg_roles, pg_database where rolname = current_user and datname = current_database()
`

test('each test gets its own databases, with an owner and a login that are not superusers', async () => {
  await using server = await openPostgres()
  await using one = await server.database()
  await using other = await server.database()
  assert.deepEqual(await ask(one.ownerUrl, ATTRIBUTES), [[false, false, true, true]])
  assert.deepEqual(await ask(one.appUrl, ATTRIBUTES), [[false, false, false, false]])
  await assert.rejects(ask(one.appUrl, 'create table public.mine (n int)'), { code: '42501' })

  await ask(one.ownerUrl, 'create table public.mine (n int)')
  await using copy = await server.database(one.name)
  assert.deepEqual(await ask(copy.ownerUrl, 'select * from public.mine'), [])
  await assert.rejects(ask(other.ownerUrl, 'select * from public.mine'), { code: '42P01' })
})

test('a server can be stopped, killed and started again, and keeps committed data', async (t) => {
  await using server = await openPostgres({ own: true })
  const { faults } = server
  if (faults === undefined) return t.skip('an external server is not stopped')
  const database = await server.database()
  await ask(database.ownerUrl, 'create table public.kept as select 1 as n')
  for (const how of ['stop', 'kill'] as const) {
    await faults[how]()
    await assert.rejects(ask(database.ownerUrl, 'select'), { code: 'ECONNREFUSED' })
    await faults.start()
    assert.deepEqual(await ask(database.ownerUrl, 'select * from public.kept'), [[1]])
  }
})
