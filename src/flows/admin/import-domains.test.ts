import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDomains } from '../../../test/memory/domains.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { someDomain } from '../../ports/sending-domains.contract.ts'
import { type ImportDomainsDeps, importDomains } from './import-domains.ts'

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]
const VERIFIED = { checked: { at: NOON, ownership: 'valid', dkim: 'valid' }, verifiedAt: NOON } as const

async function open(isSameKey = true) {
  const [source, target] = [memoryDomains(), memoryDomains()]
  const listing = { tenants: async () => [NORTH, SOUTH] }
  const deps: ImportDomainsDeps = { source: { domains: source, listing }, target: { domains: target }, isSameKey }
  await source.add(someDomain({ tenantId: NORTH, name: 'north.example', ...VERIFIED }))
  await source.add(someDomain({ tenantId: NORTH, name: 'pending.example' }))
  await source.add(someDomain({ tenantId: SOUTH, name: 'south.example', ...VERIFIED }))
  return { deps, source, target }
}

test('imports the domains of every tenant with their keys and checks, and can be repeated', async () => {
  const { deps, source, target } = await open()
  assert.deepEqual(await importDomains(deps), { all: 3, added: 3, left: 0 })
  for (const tenantId of [NORTH, SOUTH]) {
    const [moved, given] = [target, source].map((store) => store.list(tenantId).map(({ version: _, ...rest }) => rest))
    assert.deepEqual(moved, given)
  }
  assert.deepEqual([...target.verified().keys()], ['north.example', 'south.example'])
  assert.deepEqual(await importDomains(deps), { all: 3, added: 0, left: 0 })
})

test('leaves a domain that another tenant has verified, and one that was added anew', async () => {
  const { deps, target } = await open()
  await target.add(someDomain({ tenantId: SOUTH, name: 'north.example', ...VERIFIED }))
  await target.add(someDomain({ tenantId: NORTH, name: 'pending.example', token: 'another' }))
  assert.deepEqual(await importDomains(deps), { all: 3, added: 1, left: 2 })
  assert.equal(target.verified().get('north.example')?.tenantId, SOUTH)
  assert.equal(target.list(NORTH)[0]?.token, 'another')
})

test('leaves all domains where the master key differs, because their keys could not be opened', async () => {
  const { deps, target } = await open(false)
  assert.deepEqual(await importDomains(deps), { all: 3, added: 0, left: 3 })
  assert.deepEqual(target.list(NORTH), [])
})
