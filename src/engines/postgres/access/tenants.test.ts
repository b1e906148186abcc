import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres, type TestDatabase } from '../../../../test/support/postgres-server.ts'
import { until } from '../../../../test/support/until.ts'
import type { Tenant } from '../../../domain/access/tenant.ts'
import { someTenant, tenantsContract } from '../../../ports/tenants.contract.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { openTenants } from './tenants.ts'

const { server, migrated } = await sharePostgres({ own: true })
const { faults } = server
const options = faults === undefined ? { skip: "a server that is not the tests' own is not broken" } : {}

async function open({ appUrl }: TestDatabase, file: readonly Tenant[] = []) {
  const reported: unknown[] = []
  const whenPropagated = async () => undefined
  const tenants = await openTenants({ url: appUrl, file, whenPropagated, onFault: (error) => reported.push(error) })
  return { tenants, reported, [Symbol.asyncDispose]: () => tenants[Symbol.asyncDispose]() }
}

tenantsContract('PostgreSQL', async (file) => {
  const opened = new AsyncDisposableStack()
  const { tenants } = opened.use(await open(opened.use(await migrated()), file))
  return { tenants, [Symbol.asyncDispose]: () => opened.disposeAsync() }
})

test('every process applies a new tenant and its changes', async () => {
  await using database = await migrated()
  await using one = await open(database)
  await using other = await open(database)
  const added = await one.tenants.add(someTenant())
  assert.ok(added !== undefined)
  const knows = (tenants: typeof one.tenants, wanted: Tenant | undefined) =>
    until('it to be known', () => JSON.stringify(tenants.of(added.id)) === JSON.stringify(wanted))
  await knows(other.tenants, added)
  const changed = await other.tenants.change({ ...added, state: 'suspended' })
  await knows(one.tenants, changed)
  assert.equal(await one.tenants.change({ ...added, state: 'active' }), undefined)
  await using later = await open(database)
  assert.deepEqual(later.tenants.list(), [changed])
})

test('change returns only after the other processes had time to poll', async () => {
  await using database = await migrated()
  const onFault = (): void => assert.fail('nothing is broken')
  await using one = await openTenants({ url: database.appUrl, file: [], onFault })
  await using other = await open(database)
  const added = await one.add(someTenant())
  assert.ok(added !== undefined)
  await one.change({ ...added, state: 'suspended' })
  assert.equal(other.tenants.of(added.id)?.state, 'suspended')
})

test(
  'while PostgreSQL is unreachable the cached tenants apply, and a process that never loaded them has those of its file',
  options,
  async () => {
    await using database = await migrated()
    await using opened = await open(database)
    const { tenants } = opened
    const added = await tenants.add(someTenant())
    assert.ok(added !== undefined)
    const filed: Tenant = { id: someTenant().id, state: 'active' }
    await faults?.stop()
    try {
      for (const call of [() => tenants.add(someTenant()), () => tenants.change(added)]) {
        await assert.rejects(call(), Unavailable)
      }
      await until('it to be said', () => opened.reported.length > 0)
      assert.deepEqual(tenants.of(added.id), added)
      await using blind = await open(database, [filed])
      assert.deepEqual([blind.tenants.isLoaded(), blind.tenants.list()], [false, [filed]])
      await faults?.start()
      await until('the tenants to be known', () => blind.tenants.isLoaded())
      assert.deepEqual(blind.tenants.of(added.id), added)
      assert.equal(blind.reported.length, 1)
    } finally {
      await faults?.stop()
      await faults?.start()
    }
  },
)
