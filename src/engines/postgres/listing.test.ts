import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { at, idsOf, NORTH, search, told } from '../../ports/index-samples.contract.ts'
import { ACCEPTED, ATTEMPTED, delivered, someMessage, stateAfter } from '../../ports/samples.contract.ts'
import { openPostgresIndex } from './postgres.ts'

const { migrated } = await sharePostgres()

test('what is forgotten never comes back, not even with a newer event', async () => {
  await using database = await migrated()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  const { index } = postgres
  const buried = told({}, 1)
  const erased = told({}, 2)
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

test("several projectors at once, each in its own order, get in each other's way but never block each other", async () => {
  await using database = await migrated()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  const { index } = postgres
  const lives = [[], [ATTEMPTED], [ATTEMPTED, ACCEPTED], [ATTEMPTED, ACCEPTED, delivered()]]
  const firsts = Array.from({ length: 300 }, (_, nth) => told({ message: someMessage() }, nth + 1))
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
