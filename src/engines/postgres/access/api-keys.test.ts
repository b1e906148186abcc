import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { sharePostgres, type TestDatabase } from '../../../../test/support/postgres-server.ts'
import { until } from '../../../../test/support/until.ts'
import { later, seconds } from '../../../lib/time.ts'
import { apiKeysContract, idsOf, ROOM, someApiKey } from '../../../ports/api-keys.contract.ts'
import { NOON } from '../../../ports/samples.contract.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { openApiKeys } from './api-keys.ts'

const { server, migrated } = await sharePostgres({ own: true })
const { faults } = server
const options = faults === undefined ? { skip: "a server that is not the tests' own is not broken" } : {}

async function open({ appUrl }: TestDatabase) {
  const faults: unknown[] = []
  const whenPropagated = async () => undefined
  const apiKeys = await openApiKeys({ url: appUrl, whenPropagated, onFault: (error) => faults.push(error) })
  return { apiKeys, faults, [Symbol.asyncDispose]: () => apiKeys[Symbol.asyncDispose]() }
}

apiKeysContract('PostgreSQL', async () => {
  const opened = new AsyncDisposableStack()
  const { apiKeys } = opened.use(await open(opened.use(await migrated())))
  return { apiKeys, [Symbol.asyncDispose]: () => opened.disposeAsync() }
})

test('every process knows a new key, its use and its end', async () => {
  await using database = await migrated()
  await using one = await open(database)
  await using other = await open(database)
  const key = someApiKey()
  await one.apiKeys.add(key, ROOM)
  const knows = (apiKeys: typeof one.apiKeys, wanted: typeof key) =>
    until('it to be known', () => JSON.stringify(apiKeys.find(key.id)) === JSON.stringify(wanted))
  await knows(other.apiKeys, key)
  await other.apiKeys.touch([{ id: key.id, at: NOON }])
  await until('the use to be known', () => one.apiKeys.find(key.id)?.lastUsedAt === NOON)
  const revoked = await one.apiKeys.end(key.tenantId, key.id, { kind: 'revoked', at: NOON })
  assert.ok(revoked !== undefined)
  await knows(other.apiKeys, revoked)
})

test('a revocation returns only after the other processes had time to poll, and within a second', async () => {
  await using database = await migrated()
  const onFault = () => assert.fail('nothing is broken')
  await using one = await openApiKeys({ url: database.appUrl, onFault })
  await using other = await open(database)
  const took: number[] = []
  for (let time = 0; time < 3; time += 1) {
    const key = someApiKey()
    await one.add(key, ROOM)
    await until('it to be known', () => other.apiKeys.find(key.id) !== undefined)
    const startedAt = performance.now()
    await one.end(key.tenantId, key.id, { kind: 'revoked', at: NOON })
    if (other.apiKeys.find(key.id)?.revokedAt === NOON) took.push(performance.now() - startedAt)
  }
  // The machine may be slow now and then.
  assert.ok(Math.min(...took) < 1_000, `known after ${took.join()} ms`)
})

test('no key is missed when several processes add many at once, and together they keep to the bound', async () => {
  await using database = await migrated()
  await using one = await open(database)
  await using other = await open(database)
  await using watcher = await open(database)
  const { tenantId } = someApiKey()
  const wanted = Array.from({ length: 100 }, () => someApiKey({ tenantId }))
  const room = { usable: 60, all: 1_000 }
  await Promise.all(wanted.map((key, nth) => (nth % 2 === 0 ? one : other).apiKeys.add(key, room)))
  await until('all to be known', () => idsOf(watcher.apiKeys, tenantId).length === 60)
})

test('a process that starts later knows all keys at once, and no forgotten ones', async () => {
  await using database = await migrated()
  await using one = await open(database)
  const [kept, gone] = [someApiKey(), someApiKey({ revokedAt: NOON })]
  for (const key of [kept, gone]) await one.apiKeys.add(key, ROOM)
  await one.apiKeys.forget(NOON)
  await using later = await open(database)
  assert.deepEqual([idsOf(later.apiKeys, kept.tenantId), idsOf(later.apiKeys, gone.tenantId)], [[kept.id], []])
})

test('a tenant cannot end the key of another with a statement of its own', async () => {
  await using database = await migrated()
  await using opened = await open(database)
  const key = someApiKey()
  await opened.apiKeys.add(key, ROOM)
  const client = new Client({ connectionString: database.appUrl })
  await client.connect()
  try {
    await client.query(`begin; set local role pombo_tenant; set local pombo.tenant = 'stranger'`)
    const { rowCount } = await client.query('update pombo.api_keys set revoked_at = 1')
    assert.equal(rowCount, 0)
    for (const column of ['hash', 'scopes', 'tenant', 'networks']) {
      await client.query('savepoint here')
      await assert.rejects(client.query(`update pombo.api_keys set ${column} = 'x'`), { code: '42501' })
      await client.query('rollback to here')
    }
  } finally {
    await client.end()
  }
})

test(
  'while PostgreSQL is unreachable the cached keys apply, and a process that never loaded them says so',
  options,
  async () => {
    await using database = await migrated()
    await using opened = await open(database)
    const { apiKeys } = opened
    const key = someApiKey()
    await apiKeys.add(key, ROOM)
    await faults?.stop()
    try {
      for (const call of [
        () => apiKeys.add(someApiKey(), ROOM),
        () => apiKeys.end(key.tenantId, key.id, { kind: 'revoked', at: NOON }),
        () => apiKeys.touch([{ id: key.id, at: NOON }]),
        () => apiKeys.forget(later(NOON, seconds(1))),
      ]) {
        await assert.rejects(call(), Unavailable)
      }
      await until('it to be said', () => opened.faults.length > 0)
      assert.deepEqual(apiKeys.find(key.id), key)
      await using blind = await open(database)
      assert.deepEqual([blind.apiKeys.isLoaded(), blind.apiKeys.find(key.id)], [false, undefined])
      await faults?.start()
      await until('the keys to be known', () => blind.apiKeys.isLoaded())
      assert.deepEqual(blind.apiKeys.find(key.id), key)
      assert.equal(blind.faults.length, 1)
    } finally {
      await faults?.stop()
      await faults?.start()
    }
  },
)
