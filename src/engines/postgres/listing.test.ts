import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { until } from '../../../test/support/until.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { at, idsOf, NORTH, search, someProjection } from '../../ports/index-samples.contract.ts'
import { ACCEPTED, ATTEMPTED, delivered, someMessage, stateAfter } from '../../ports/samples.contract.ts'
import { asSystem, openPool } from './database.ts'
import { openPostgresIndex } from './postgres.ts'

const { migrated } = await sharePostgres()

test('a forgotten message never comes back, not even with a newer event', async () => {
  await using database = await migrated()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  const { index } = postgres
  const buried = someProjection({}, 1)
  const erased = someProjection({}, 2)
  await index.apply([buried, erased], at(2))
  await index.tombstone(buried.state.id)
  await index.apply([{ state: stateAfter(erased.state, [{ kind: 'MessageErased' }]), position: at(3) }], at(3))
  for (const { state, searchable } of [buried, erased]) {
    await index.apply([{ state: stateAfter(state, [ATTEMPTED]), position: at(4), searchable }], at(4))
  }
  const rows = await search(index)
  assert.deepEqual(
    rows.map(({ searchable }) => searchable),
    [undefined, undefined],
  )
  assert.ok(rows.every(({ state }) => state.handoffState === 'sending'))
  for (const filter of [{ text: 'welcome' }, { tag: 'welcome' }, { toKey: buried.searchable.toKey }]) {
    assert.deepEqual(await search(index, filter), [])
  }
})

test('a remaining copy of a forgotten message does not reveal it', async () => {
  await using database = await migrated()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  const { index } = postgres
  const mail = someProjection({ mail: { cc: [{ address: 'eva' as EmailAddress }] } }, 1)
  await index.apply([mail], at(1))
  assert.equal((await search(index, { toKey: 'key of eva' })).length, 1)
  await index.tombstone(mail.state.id)
  const pool = openPool(database.appUrl)
  await asSystem(pool, 'insert into pombo.message_copies (tenant, to_key, message) values ($1, $2, $3)', [
    NORTH,
    'key of eva',
    mail.state.id,
  ])
  assert.deepEqual(await search(index, { toKey: 'key of eva' }), [])
  await index.apply([{ state: stateAfter(mail.state, [{ kind: 'MessageErased' }]), position: at(2) }], at(2))
  assert.deepEqual(await asSystem(pool, 'select 1 from pombo.message_copies'), [])
  await pool.end()
})

test('deletes copies that another projector commits while a message is being forgotten', async () => {
  await using database = await migrated()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  const { index } = postgres
  const pool = openPool(database.appUrl)
  for (const way of ['tombstone', 'apply'] as const) {
    const mail = someProjection({}, 1)
    const { id } = mail.state
    await index.apply([mail], at(1))
    const other = await pool.connect()
    await other.query('begin; set local role pombo_system')
    await other.query('update pombo.messages set position = position where id = $1', [id])
    await other.query(`insert into pombo.message_copies (tenant, to_key, message) values ('north', 'key', $1)`, [id])
    const erased = { state: stateAfter(mail.state, [{ kind: 'MessageErased' }]), position: at(2) }
    const forgetting = way === 'tombstone' ? index.tombstone(id) : index.apply([erased], at(2))
    await until('it to wait for the row', async () => {
      const { rows } = await pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    })
    await other.query('commit')
    other.release()
    await forgetting
    assert.deepEqual(await asSystem(pool, 'select 1 from pombo.message_copies'), [], way)
  }
  await pool.end()
})

test('concurrent projectors with different orders never deadlock', async () => {
  await using database = await migrated()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  const { index } = postgres
  const lives = [[], [ATTEMPTED], [ATTEMPTED, ACCEPTED], [ATTEMPTED, ACCEPTED, delivered()]]
  const firsts = Array.from({ length: 300 }, (_, nth) => someProjection({ message: someMessage() }, nth + 1))
  const pages = lives.map((facts, step) =>
    firsts.map(({ state, searchable, position }) => ({
      state: stateAfter(state, facts),
      position: at(position + step * 1_000),
      ...(step === 0 ? { searchable } : {}),
    })),
  )
  const projectors = [firsts, firsts.toReversed(), firsts.slice(150).concat(firsts.slice(0, 150)), firsts.slice(50)]
  // Connected beforehand, so that they really start together.
  await Promise.all(projectors.map(() => postgres.health()))
  await Promise.all(
    projectors.map(async (order, nth) => {
      for (const page of [...pages, ...pages]) {
        await index.apply(
          order.flatMap(({ position }) => page[position - 1] ?? []),
          at(500 + nth),
        )
      }
    }),
  )
  const { rows } = await index.search({ tenantId: NORTH, filter: { status: 'delivered', text: 'welcome' }, limit: 999 })
  assert.deepEqual(idsOf(rows).toSorted(), idsOf(firsts).toSorted())
  assert.ok(rows.every(({ searchable }) => searchable !== undefined))
  assert.equal(await index.position(), 503)
})
