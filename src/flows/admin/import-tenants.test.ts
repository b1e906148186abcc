import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryTenants } from '../../../test/memory/tenants.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import { FULL, someTenant } from '../../ports/tenants.contract.ts'
import { importTenants } from './import-tenants.ts'

const [ONE, OTHER] = [someTenant(FULL), someTenant()]

async function open() {
  const filed = { id: someTenant().id, state: 'active' } as const
  const [source, target] = [memoryTenants([filed]), memoryTenants()]
  for (const tenant of [ONE, OTHER]) await source.add(tenant)
  return { source, target, deps: { source: { tenants: source }, target: { tenants: target } } }
}

test('imports the tenants created by the API, and not those of the file', async () => {
  const { source, target, deps } = await open()
  assert.deepEqual(await importTenants(deps), { all: 2, added: 2, left: 0 })
  const wanted = source.list().filter(({ own }) => own !== undefined)
  const fieldsOf = ({ own, ...tenant }: Tenant) => ({ ...tenant, at: [own?.createdAt, own?.updatedAt] })
  assert.deepEqual(target.list().map(fieldsOf), wanted.map(fieldsOf))
})

test('a second import adds nothing, and leaves tenants that were changed since', async () => {
  const { target, deps } = await open()
  await importTenants(deps)
  const [changed] = target.list()
  assert.ok(changed?.own !== undefined)
  await target.change({ ...changed, own: changed.own, name: 'Changed' })
  assert.deepEqual(await importTenants(deps), { all: 2, added: 0, left: 1 })
  assert.equal(target.of(changed.id)?.name, 'Changed')
})
