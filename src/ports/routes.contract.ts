/** The tests every store of routes must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { OperatorId, ProviderName, RouteId, TenantId } from '../domain/ids.ts'
import type { Route } from '../domain/routing/routing.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { NewRoute, RouteBook } from './routes.ts'
import { NOON, present, tenant } from './samples.contract.ts'

/** The store may be shared: every test uses tenants of its own. */
export type OpenRoutes = (file: readonly Route[]) => Promise<Readonly<{ routes: RouteBook }> & AsyncDisposable>

export function routesContract(engine: string, open: OpenRoutes): void {
  describe(`routes on ${engine}`, { timeout: 120_000 }, () => {
    listing(open)
    changing(open)
  })
}

function listing(open: OpenRoutes): void {
  test('stores a route as given, and lists it before the routes of the file', async () => {
    await using opened = await open([FILED])
    const { routes } = opened
    const [full, bare] = [someRoute(FULL), someRoute({ tenantId: tenant(randomUUID()) })]
    assert.deepEqual(routes.of(full.tenantId), [FILED])
    for (const wanted of [full, bare]) {
      const added = await routes.add(wanted)
      assert.deepEqual(added, { ...wanted, own: { ...wanted.own, version: added?.own.version } })
      assert.deepEqual(routes.of(wanted.tenantId), [added, FILED])
    }
  })

  test('lists routes by creation time, then by id', async () => {
    await using opened = await open([])
    const { routes } = opened
    const { tenantId } = someRoute()
    for (const [id, age] of [
      ['c', 0],
      ['b', 5],
      ['a', 0],
      ['d', 9],
    ] as const) {
      const at = later(NOON, millis(-age))
      await routes.add(someRoute({ tenantId, id: id as RouteId, own: { createdAt: at, updatedAt: NOON } }))
    }
    assert.deepEqual(idsOf(routes, tenantId), ['d', 'b', 'a', 'c'])
  })

  test('returns a tenant its own routes and those of the file that are for all or for it', async () => {
    const [mine, theirs] = [someRoute(), someRoute()]
    const named = { ...FILED, id: 'named' as RouteId, tenantId: mine.tenantId }
    await using opened = await open([FILED, named])
    const { routes } = opened
    await routes.add(mine)
    assert.deepEqual(idsOf(routes, mine.tenantId), [mine.id, 'filed', 'named'])
    assert.deepEqual(idsOf(routes, theirs.tenantId), ['filed'])
    assert.equal(await routes.remove(theirs.tenantId, mine.id), false)
    assert.equal((await routes.add({ ...mine, tenantId: theirs.tenantId }))?.tenantId, theirs.tenantId)
    assert.equal(await routes.remove(theirs.tenantId, mine.id), true)
    assert.deepEqual(idsOf(routes, mine.tenantId), [mine.id, 'filed', 'named'])
  })
}

function changing(open: OpenRoutes): void {
  test('of concurrent additions with one id exactly one succeeds, and a removed id can be used again', async () => {
    await using opened = await open([])
    const { routes } = opened
    const wanted = someRoute()
    const added = await Promise.all(Array.from({ length: 9 }, () => routes.add(wanted)))
    assert.equal(added.filter((route) => route !== undefined).length, 1)
    assert.equal(await routes.remove(wanted.tenantId, wanted.id), true)
    assert.equal(await routes.remove(wanted.tenantId, wanted.id), false)
    assert.deepEqual(routes.of(wanted.tenantId), [])
    const anew = await routes.add({ ...wanted, prefix: '+49' })
    assert.deepEqual(routes.of(wanted.tenantId), [anew])
  })

  test('a change is visible at once, keeps the order, and removes fields it does not contain', async () => {
    await using opened = await open([FILED])
    const { routes } = opened
    const { tenantId } = someRoute()
    const first = await present(routes.add(someRoute({ ...FULL, tenantId })))
    const second = await present(routes.add(someRoute({ tenantId, id: 'second' as RouteId })))
    const own = { ...first.own, updatedAt: later(NOON, seconds(5)) }
    const changed = await present(routes.change({ ...someRoute({ tenantId, id: first.id }), own }))
    assert.deepEqual(changed, {
      ...someRoute({ tenantId, id: first.id }),
      own: { ...own, version: changed.own.version },
    })
    assert.deepEqual(routes.of(tenantId), [changed, second, FILED])
  })

  test('of concurrent changes of one version exactly one wins', async () => {
    await using opened = await open([])
    const { routes } = opened
    const route = await present(routes.add(someRoute()))
    const changes = ['+1', '+2', '+3'].map((prefix) => routes.change({ ...route, prefix }))
    const [changed, ...more] = (await Promise.all(changes)).filter((one) => one !== undefined)
    assert.deepEqual([more, routes.of(route.tenantId)], [[], [changed]])
    assert.equal(await routes.change({ ...route, prefix: '+4' }), undefined)
    await routes.remove(route.tenantId, route.id)
    const anew = await present(routes.add(route))
    assert.notEqual(anew.own.version, route.own.version)
    assert.equal(await routes.change(route), undefined)
    assert.deepEqual(routes.of(route.tenantId), [anew])
  })
}

const FILED: Route = {
  id: 'filed' as RouteId,
  channel: 'sms',
  providers: ['one' as ProviderName],
  unknown: { wait: seconds(5), policy: 'hold' },
}

/** A route with all fields. */
const FULL: Partial<NewRoute> = {
  operatorId: 'vivo' as OperatorId,
  kind: 'flash_sms',
  sender: 'Olá "Pombo" 👍',
  prefix: '+55',
  providers: ['one' as ProviderName, 'two' as ProviderName],
  weights: [3, 0],
  retry: { delays: [seconds(1), millis(2_500)], maxAttempts: 2, jitter: 0.25 },
  unknown: { wait: seconds(9), policy: 'failover' },
}

/** A route, by default of a new tenant. */
export const someRoute = (wanted: Partial<NewRoute> = {}): NewRoute => ({
  tenantId: tenant(randomUUID()),
  id: 'mine' as RouteId,
  channel: 'sms',
  providers: ['one' as ProviderName],
  unknown: { wait: seconds(5), policy: 'hold' },
  own: { createdAt: NOON, updatedAt: NOON },
  ...wanted,
})

export const idsOf = (routes: Pick<RouteBook, 'of'>, tenantId: TenantId): readonly string[] | undefined =>
  routes.of(tenantId)?.map(({ id }) => id)
