import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopped } from '../../../ports/samples.contract.ts'
import { FULL, someTenant, tenantsContract } from '../../../ports/tenants.contract.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { newFile, openDriver, watched } from '../limits.fixture.ts'
import { openTenants } from './tenants.ts'

tenantsContract('sqlite', async (filed) => {
  const file = newFile()
  const driver = openDriver(file.path, stopped)
  return {
    tenants: await openTenants(driver, filed),
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
})

test('tenants survive a restart, and later changes have newer versions', async () => {
  using file = newFile()
  const wanted = someTenant(FULL)
  {
    await using driver = openDriver(file.path, stopped)
    await (await openTenants(driver, [])).add(wanted)
  }
  await using driver = openDriver(file.path, stopped)
  const tenants = await openTenants(driver, [])
  const own = tenants.of(wanted.id)?.own
  assert.ok(own !== undefined)
  assert.deepEqual(tenants.list(), [{ ...wanted, own }])
  const changed = await tenants.change({ ...wanted, own, name: 'Later' })
  assert.ok(changed !== undefined && changed.own.version > own.version)
  assert.deepEqual(tenants.of(wanted.id), changed)
})

test('a tenant that could not be stored does not take effect', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const watch = watched(driver)
  const tenants = await openTenants(watch.driver, [])
  const wanted = someTenant()
  watch.refused.add('tenants.add').add('tenants.change')
  await assert.rejects(tenants.add(wanted), Unavailable)
  assert.deepEqual(tenants.list(), [])
  watch.refused.delete('tenants.add')
  const added = await tenants.add(wanted)
  assert.ok(added !== undefined)
  await assert.rejects(tenants.change({ ...added, state: 'suspended' }), Unavailable)
  assert.deepEqual(tenants.of(wanted.id), added)
})

test('a tenant of the file hides one of the same id in the table', async () => {
  using file = newFile()
  const wanted = someTenant(FULL)
  await using driver = openDriver(file.path, stopped)
  await (await openTenants(driver, [])).add(wanted)
  const filed = { id: wanted.id, state: 'active' } as const
  const tenants = await openTenants(driver, [filed])
  assert.deepEqual(tenants.list(), [filed])
})
