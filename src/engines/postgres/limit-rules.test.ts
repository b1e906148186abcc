import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { sharePostgres, type TestDatabase } from '../../../test/support/postgres-server.ts'
import { until } from '../../../test/support/until.ts'
import { EACH } from '../../domain/limits/limits.ts'
import { limitRulesContract, someLimit } from '../../ports/limit-rules.contract.ts'
import { MalformedCursor } from '../../ports/malformed-cursor.ts'
import { present } from '../../ports/samples.contract.ts'
import { DatabaseUnavailable, Unavailable } from '../../ports/unavailable.ts'
import { Database, openPool } from './database.ts'
import { openLimitRules } from './limit-rules.ts'
import { checkSchema } from './schema.ts'

const { server, migrated } = await sharePostgres({ own: true })
const { faults } = server
const options = faults === undefined ? { skip: "a server that is not the tests' own is not broken" } : {}

async function openRules({ appUrl }: TestDatabase, whenPropagated: () => Promise<unknown> = async () => undefined) {
  const opened = new AsyncDisposableStack()
  const faults: unknown[] = []
  const db = opened.use(new Database(openPool(appUrl), checkSchema))
  let rowsRead = 0
  const asSystem: Database['asSystem'] = async (...args) => {
    const rows = await db.asSystem(...args)
    rowsRead += rows.length
    return rows
  }
  const watched = Object.assign(Object.create(db), { asSystem, asTenant: db.asTenant.bind(db) }) as Database
  const rules = opened.use(
    await openLimitRules({ db: watched, whenPropagated, onFault: (error) => faults.push(error) }),
  )
  return { rules, db, faults, rowsRead: () => rowsRead, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

limitRulesContract('PostgreSQL', async () => {
  const opened = new AsyncDisposableStack()
  const { rules } = opened.use(await openRules(opened.use(await migrated())))
  return { rules, [Symbol.asyncDispose]: () => opened.disposeAsync() }
})

test('every process applies a new limit and its removal', async () => {
  await using database = await migrated()
  await using one = await openRules(database)
  await using other = await openRules(database)
  const wanted = someLimit()
  const { version } = await present(one.rules.set(wanted))
  await until('the other to know it', () => other.rules.counters([wanted])[0]?.version === version)
  assert.deepEqual([...other.rules.scopes(wanted.tenantId)], ['recipient'])
  await other.rules.remove(wanted)
  assert.deepEqual(other.rules.counters([wanted]), [])
  await until('the one to know it is gone', () => one.rules.counters([wanted]).length === 0)
  assert.deepEqual([...one.rules.scopes(wanted.tenantId)], [])
})

test('set returns only after the other processes had time to poll', async () => {
  await using database = await migrated()
  await using one = await openLimitRulesOf(database)
  await using other = await openRules(database)
  const wanted = someLimit()
  const { version } = await present(one.rules.set(wanted))
  assert.equal(other.rules.counters([wanted])[0]?.version, version)
})

async function openLimitRulesOf({ appUrl }: TestDatabase) {
  const opened = new AsyncDisposableStack()
  const db = opened.use(new Database(openPool(appUrl), checkSchema))
  const rules = opened.use(await openLimitRules({ db, onFault: () => assert.fail('nothing is broken') }))
  return { rules, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

test('no limit is missed when several processes set many at once', async () => {
  await using database = await migrated()
  await using one = await openRules(database)
  await using other = await openRules(database)
  await using watcher = await openRules(database)
  const wanted = Array.from({ length: 200 }, (_, nth) => someLimit({ key: nth % 5 === 0 ? EACH : `user-${nth}` }))
  const set = await Promise.all(wanted.map((limit, nth) => present((nth % 2 === 0 ? one : other).rules.set(limit))))
  const versions = new Set(set.map(({ version }) => version))
  assert.equal(versions.size, wanted.length)
  const known = () => watcher.rules.counters(wanted)
  await until('all to be known', () => known().length === wanted.length)
  assert.deepEqual(
    known().map(({ version }) => version),
    set.map(({ version }) => version),
  )
})

test('versions become visible in order, so no process skips one', async () => {
  await using database = await migrated()
  await using one = await openRules(database)
  await using watcher = await openRules(database)
  const slow = new Client({ connectionString: database.adminUrl })
  await slow.connect()
  const [first, second] = [someLimit(), someLimit()]
  await slow.query('begin; select pg_advisory_xact_lock(7026621)')
  await slow.query(`
    insert into pombo.limit_rules
    values ('${first.tenantId}', 'recipient', 'somebody', nextval('pombo.limit_versions'), false, 1, 1, 'fixed', '', 0)
  `)
  const set = present(one.rules.set(second))
  const waits = `select from pg_locks where locktype = 'advisory' and not granted and database = $1::oid`
  const { rows } = await slow.query('select oid from pg_database where datname = current_database()')
  await until('the second to wait for its turn', async () => (await slow.query(waits, [rows[0].oid])).rowCount === 1)
  await slow.query('commit')
  await slow.end()
  await set
  await until('both to be known', () => watcher.rules.counters([first, second]).length === 2)
})

test('a process that starts later knows all limits at once, and no removed ones', async () => {
  await using database = await migrated()
  await using one = await openRules(database)
  const [kept, gone] = [someLimit(), someLimit()]
  for (const limit of [kept, gone]) await one.rules.set(limit)
  await one.rules.remove(gone)
  await using later = await openRules(database)
  assert.ok(later.rules.isLoaded())
  assert.equal(later.rules.counters([kept, gone]).length, 1)
})

test(
  'while PostgreSQL is unreachable the cached limits apply, changes are refused, and the outage is reported once',
  options,
  async () => {
    await using database = await migrated()
    await using opened = await openRules(database)
    const { rules } = opened
    const wanted = someLimit()
    await rules.set(wanted)
    await faults?.stop()
    try {
      for (const call of [
        () => rules.set(wanted),
        () => rules.remove(wanted),
        () => rules.find(wanted),
        () => rules.list({ tenantId: wanted.tenantId, limit: 9 }),
      ]) {
        await assert.rejects(call(), Unavailable)
      }
      await until('it to be said', () => opened.faults.length > 0)
      assert.equal(rules.counters([wanted]).length, 1)
      await using blind = await openRules(database)
      assert.equal(blind.rules.isLoaded(), false)
      assert.throws(() => blind.rules.counters([wanted]), DatabaseUnavailable)
      assert.throws(() => blind.rules.scopes(wanted.tenantId), DatabaseUnavailable)
      await assert.rejects(blind.rules.ofUser(wanted.tenantId, '101'), DatabaseUnavailable)
      await faults?.start()
      await until('the limits to be known', () => blind.rules.isLoaded())
      assert.equal(blind.rules.counters([wanted]).length, 1)
      assert.equal(blind.faults.length, 1)
    } finally {
      await faults?.stop()
      await faults?.start()
    }
  },
)

test('limits of single users stay in the database: a process knows only which tenants have any', async () => {
  await using database = await migrated()
  await using one = await openRules(database)
  await using other = await openRules(database)
  const { tenantId } = await present(one.rules.set(someLimit({ scope: 'user', key: '0' })))
  const admin = new Client({ connectionString: database.adminUrl })
  await admin.connect()
  await admin.query(MANY_USERS, [tenantId, 50_000])
  await admin.end()
  await using later = await openRules(database)
  await until('the other to know of them', () => other.rules.scopes(tenantId).has('user'))
  for (const { rules, rowsRead } of [other, later]) {
    assert.deepEqual([...rules.scopes(tenantId)], ['user'])
    assert.ok(rowsRead() < 10, `${rowsRead()} rows`)
    assert.equal((await rules.ofUser(tenantId, '49999'))[0]?.rule.limit, 7)
  }
})

const MANY_USERS = `
  insert into pombo.limit_rules (tenant, scope, key, version, removed, most, window_ms, algorithm, shown, updated_at)
  select $1, 'user', nth::text, nextval('pombo.limit_versions'), false, 7, 60000, 'fixed', nth::text, 0
  from generate_series(1, $2::int) as nth
`

test('refuses a malformed cursor', async () => {
  await using database = await migrated()
  await using opened = await openRules(database)
  const wanted = someLimit()
  await opened.rules.set(wanted)
  for (const cursor of [
    '',
    'nonsense',
    Buffer.from('["a"]').toString('base64url'),
    Buffer.from('{}').toString('hex'),
  ]) {
    await assert.rejects(opened.rules.list({ tenantId: wanted.tenantId, limit: 9, cursor }), MalformedCursor)
  }
})
