import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { until } from '../../../test/support/until.ts'
import { applyAll, at, idsOf, NORTH, search } from '../../ports/index-samples.contract.ts'
import { NOON, someMessage } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { Database, openPool } from './database.ts'
import { migrate } from './migrate.ts'
import { openPostgresIndex, type PostgresIndex } from './postgres.ts'
import { checkSchema } from './schema.ts'

const { server, migrated } = await sharePostgres({ own: true })
const { faults } = server
const options = faults === undefined ? { skip: "a server that is not the tests' own is not broken" } : {}

/** Every operation. */
const calls = ({ index, timeline, health }: PostgresIndex): (() => Promise<unknown>)[] => [
  () => index.position(),
  () => index.search({ tenantId: NORTH, filter: { text: 'welcome' }, limit: 9 }),
  () => index.stats({ tenantId: NORTH, from: NOON, to: at(NOON + 1000) as never, bucket: 1000 as never }),
  () => index.errors({ tenantId: NORTH, limit: 9 }),
  () => index.overdue({ kind: 'silent', through: NOON, limit: 9 }),
  () => index.apply([], at(1)),
  () => index.tombstone(someMessage().id),
  () => index.clear(),
  () => timeline.read(NORTH, someMessage().id),
  () => health(),
]

/** Sooner than any timeout. */
const SOON_MS = 1_500

/** All calls reject in time. */
async function refusals(postgres: PostgresIndex, withinMs: number): Promise<void> {
  const deadline = wait(withinMs, 'too late', { ref: false })
  const refused = Promise.all(calls(postgres).map((call) => assert.rejects(call(), Unavailable)))
  assert.notEqual(await Promise.race([refused, deadline]), 'too late')
}

const recovered = (postgres: PostgresIndex): Promise<boolean> =>
  until('the index to answer again', async () => {
    await postgres.health()
    return true
  })

test(
  'while PostgreSQL is stopped or dead every call rejects at once, and afterwards all work again',
  options,
  async () => {
    await using database = await migrated()
    await using postgres = await openPostgresIndex({ url: database.appUrl })
    const ids = await applyAll(postgres.index, {})
    for (const how of ['stop', 'kill'] as const) {
      await faults?.[how]()
      await refusals(postgres, SOON_MS)
      await faults?.start()
      await recovered(postgres)
      assert.deepEqual(idsOf(await search(postgres.index)), ids)
    }
  },
)

test('a call in flight when PostgreSQL dies rejects at once, and has no other effect', options, async () => {
  await using database = await migrated()
  await using db = new Database(openPool(database.appUrl), checkSchema)
  const lost = assert.rejects(db.asSystem('select pg_sleep(3)'), Unavailable)
  const asleep = `select from pg_stat_activity where wait_event = 'PgSleep' and datname = $1`
  const watcher = new Client({ connectionString: database.adminUrl })
  watcher.on('error', () => undefined)
  await watcher.connect()
  await until('the call to be under way', async () => (await watcher.query(asleep, [database.name])).rowCount === 1)
  await faults?.kill()
  await lost
  await faults?.start()
  assert.equal((await db.asSystem('select')).length, 1)
})

test('gives up a hanging PostgreSQL within seconds, and uses it again when it is back', options, async () => {
  await using database = await migrated()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  await faults?.freeze()
  try {
    await refusals(postgres, 8_000)
  } finally {
    await faults?.thaw()
  }
  await recovered(postgres)
})

test('Pombo starts without PostgreSQL, and connects when it is up', options, async () => {
  await using database = await migrated()
  await faults?.stop()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  await refusals(postgres, SOON_MS)
  await assert.rejects(migrate(database.ownerUrl, database), Unavailable)
  await faults?.start()
  await recovered(postgres)
  await applyAll(postgres.index, {})
  assert.equal((await search(postgres.index)).length, 1)
})
