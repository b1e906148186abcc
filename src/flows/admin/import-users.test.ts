import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryUsers } from '../../../test/memory/users.ts'
import { NOON, tenant } from '../../ports/samples.contract.ts'
import { HASHED, someSession, someUser } from '../../ports/users.contract.ts'
import { importUsers } from './import-users.ts'

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]

async function open() {
  const [source, target] = [memoryUsers(), memoryUsers()]
  const [ana, bob] = [someUser({ tenantId: NORTH, signIn: HASHED, role: 'operator' }), someUser({ tenantId: SOUTH })]
  for (const user of [ana, bob]) await source.users.add(user)
  const session = someSession(ana)
  await source.sessions.begin(session, ana.version)
  const listing = { tenants: async () => [NORTH, SOUTH] }
  return { deps: { source: { ...source, listing }, target }, ana, bob, session, target }
}

test('imports the users of every tenant with their passwords, and no session', async () => {
  const { deps, ana, bob, session, target } = await open()
  assert.deepEqual(await importUsers(deps), { all: 2, added: 2, left: 0 })
  assert.deepEqual([await target.users.find(ana.id), await target.users.find(bob.id)], [ana, bob])
  assert.equal(await target.sessions.find(session.hash, NOON), undefined)
})

test('a second import adds nothing, and leaves an address to whom it belongs', async () => {
  const { deps, bob, target } = await open()
  const other = someUser({ email: bob.email })
  await target.users.add(other)
  assert.deepEqual(await importUsers(deps), { all: 2, added: 1, left: 1 })
  assert.deepEqual(await importUsers(deps), { all: 2, added: 0, left: 1 })
  assert.deepEqual(await target.users.findByEmail(bob.email), other)
})
