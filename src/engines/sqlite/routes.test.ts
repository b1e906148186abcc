import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsOf, routesContract, someRoute } from '../../ports/routes.contract.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { newFile, openDriver, watched } from './limits.fixture.ts'
import { openRoutes } from './routes.ts'

routesContract('sqlite', async (filed) => {
  const file = newFile()
  const driver = openDriver(file.path, stopped)
  return {
    routes: await openRoutes(driver, filed),
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
})

test('routes survive a restart, and later changes have newer versions', async () => {
  using file = newFile()
  const [kept, removed] = [someRoute(), someRoute()]
  {
    await using driver = openDriver(file.path, stopped)
    const routes = await openRoutes(driver, [])
    for (const route of [removed, kept]) await routes.add(route)
    await routes.remove(removed.tenantId, removed.id)
  }
  await using driver = openDriver(file.path, stopped)
  const routes = await openRoutes(driver, [])
  assert.deepEqual([idsOf(routes, kept.tenantId), idsOf(routes, removed.tenantId)], [[kept.id], []])
  const [known] = routes.of(kept.tenantId) ?? []
  assert.ok(known?.own !== undefined)
  const changed = await routes.change({ ...kept, own: known.own, prefix: '+49' })
  assert.ok(changed !== undefined && changed.own.version > known.own.version)
  assert.deepEqual(routes.of(kept.tenantId), [changed])
})

test('a route that could not be stored does not take effect', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const watch = watched(driver)
  const routes = await openRoutes(watch.driver, [])
  const wanted = someRoute()
  watch.refused.add('routes.add').add('routes.change').add('routes.remove')
  await assert.rejects(routes.add(wanted), Unavailable)
  assert.deepEqual(routes.of(wanted.tenantId), [])
  watch.refused.delete('routes.add')
  const added = await routes.add(wanted)
  assert.ok(added !== undefined)
  await assert.rejects(routes.change({ ...added, prefix: '+49' }), Unavailable)
  await assert.rejects(routes.remove(wanted.tenantId, wanted.id), Unavailable)
  assert.deepEqual(routes.of(wanted.tenantId), [added])
})
