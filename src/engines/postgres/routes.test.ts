import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres, type TestDatabase } from '../../../test/support/postgres-server.ts'
import { until } from '../../../test/support/until.ts'
import type { RouteId } from '../../domain/ids.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { idsOf, routesContract, someRoute } from '../../ports/routes.contract.ts'
import { tenant } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openRoutes } from './routes.ts'

const { server, migrated } = await sharePostgres({ own: true })
const { faults } = server
const options = faults === undefined ? { skip: "a server that is not the tests' own is not broken" } : {}

async function open({ appUrl }: TestDatabase, file: readonly Route[] = []) {
  const faults: unknown[] = []
  const whenPropagated = async () => undefined
  const routes = await openRoutes({ url: appUrl, file, whenPropagated, onFault: (error) => faults.push(error) })
  return { routes, faults, [Symbol.asyncDispose]: () => routes[Symbol.asyncDispose]() }
}

routesContract('PostgreSQL', async (file) => {
  const opened = new AsyncDisposableStack()
  const { routes } = opened.use(await open(opened.use(await migrated()), file))
  return { routes, [Symbol.asyncDispose]: () => opened.disposeAsync() }
})

test('every process applies a new route, its changes and its removal', async () => {
  await using database = await migrated()
  await using one = await open(database)
  await using other = await open(database)
  const added = await one.routes.add(someRoute())
  assert.ok(added !== undefined)
  const { tenantId, id } = added
  const knows = (routes: typeof one.routes, wanted: readonly unknown[]) =>
    until('it to be known', () => JSON.stringify(routes.of(tenantId)) === JSON.stringify(wanted))
  await knows(other.routes, [added])
  const changed = await other.routes.change({ ...added, prefix: '+49' })
  await knows(one.routes, [changed])
  assert.equal(await one.routes.remove(tenantId, id), true)
  await knows(other.routes, [])
})

test('add returns only after the other processes had time to poll', async () => {
  await using database = await migrated()
  await using one = await openRoutes({
    url: database.appUrl,
    file: [],
    onFault: () => assert.fail('nothing is broken'),
  })
  await using other = await open(database)
  const { tenantId, id } = someRoute()
  await one.add(someRoute({ tenantId }))
  assert.deepEqual(idsOf(other.routes, tenantId), [id])
})

test('no route is missed when several processes add many at once', async () => {
  await using database = await migrated()
  await using one = await open(database)
  await using other = await open(database)
  await using watcher = await open(database)
  const { tenantId } = someRoute()
  const wanted = Array.from({ length: 100 }, (_, nth) => someRoute({ tenantId, id: `r${nth}` as RouteId }))
  await Promise.all(wanted.map((route, nth) => (nth % 2 === 0 ? one : other).routes.add(route)))
  await until('all to be known', () => watcher.routes.of(tenantId)?.length === wanted.length)
})

test('a process that starts later knows all routes at once, and no removed ones', async () => {
  await using database = await migrated()
  await using one = await open(database)
  const [kept, gone] = [someRoute(), someRoute()]
  for (const route of [kept, gone]) await one.routes.add(route)
  await one.routes.remove(gone.tenantId, gone.id)
  await using later = await open(database)
  assert.deepEqual([idsOf(later.routes, kept.tenantId), idsOf(later.routes, gone.tenantId)], [[kept.id], []])
})

test(
  'while PostgreSQL is unreachable the cached routes apply, and a process that never loaded them reports none',
  options,
  async () => {
    await using database = await migrated()
    await using opened = await open(database)
    const { routes } = opened
    const added = await routes.add(someRoute())
    assert.ok(added !== undefined)
    await faults?.stop()
    try {
      for (const call of [
        () => routes.add(someRoute()),
        () => routes.change(added),
        () => routes.remove(added.tenantId, added.id),
      ]) {
        await assert.rejects(call(), Unavailable)
      }
      await until('it to be said', () => opened.faults.length > 0)
      assert.deepEqual(routes.of(added.tenantId), [added])
      const { own: _, ...filed } = added
      await using blind = await open(database, [filed])
      assert.deepEqual([blind.routes.isLoaded(), blind.routes.of(added.tenantId)], [false, undefined])
      assert.equal(blind.routes.of(tenant('nobody')), undefined)
      await faults?.start()
      await until('the routes to be known', () => blind.routes.isLoaded())
      assert.deepEqual(blind.routes.of(added.tenantId), [added, filed])
      assert.equal(blind.faults.length, 1)
    } finally {
      await faults?.stop()
      await faults?.start()
    }
  },
)
