import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres, type TestDatabase } from '../../../../test/support/postgres-server.ts'
import { until } from '../../../../test/support/until.ts'
import { NOON, tenant } from '../../../ports/samples.contract.ts'
import { sendingDomainsContract, someDomain } from '../../../ports/sending-domains.contract.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { Database, openPool } from '../database.ts'
import { checkSchema } from '../schema.ts'
import { openDomains } from './domains.ts'
import { storedSenders } from './stored-senders.ts'

const { server, migrated } = await sharePostgres({ own: true })
const { faults } = server
const options = faults === undefined ? { skip: "a server that is not the tests' own is not broken" } : {}
const VERIFIED = { checked: { at: NOON, ownership: 'valid', dkim: 'valid' }, verifiedAt: NOON } as const

async function open({ appUrl }: TestDatabase) {
  const reported: unknown[] = []
  const whenPropagated = async () => undefined
  const domains = await openDomains({ url: appUrl, whenPropagated, onFault: (error) => reported.push(error) })
  return { domains, reported, [Symbol.asyncDispose]: () => domains[Symbol.asyncDispose]() }
}

sendingDomainsContract('PostgreSQL', async () => {
  const opened = new AsyncDisposableStack()
  const { domains } = opened.use(await open(opened.use(await migrated())))
  return { domains, [Symbol.asyncDispose]: () => opened.disposeAsync() }
})

test('every process applies a new domain, its verification and its removal', async () => {
  await using database = await migrated()
  await using one = await open(database)
  await using other = await open(database)
  const added = await one.domains.add(someDomain())
  assert.ok(typeof added === 'object')
  const { tenantId, name } = added
  const knows = (domains: typeof one.domains, listed: readonly unknown[], isVerified: boolean) =>
    until(
      'it to be known',
      () =>
        JSON.stringify(domains.list(tenantId)) === JSON.stringify(listed) &&
        domains.verified().has(name) === isVerified,
    )
  await knows(other.domains, [added], false)
  const verified = await other.domains.change({ ...added, ...VERIFIED })
  await knows(one.domains, [verified], true)
  assert.equal(await one.domains.remove(tenantId, name), true)
  await knows(other.domains, [], false)
})

test('a domain verified in one process cannot be verified in another that does not know it yet', async () => {
  await using database = await migrated()
  await using one = await open(database)
  await using other = await open(database)
  const name = 'acme.example'
  const results = await Promise.all(
    [one, other, one, other].map(({ domains }, nth) =>
      domains.add(someDomain({ tenantId: tenant(`t${nth}`), name, ...VERIFIED })),
    ),
  )
  assert.equal(results.filter((result) => result === 'taken').length, 3)
})

test('the key of a removed domain is deleted from the table', async () => {
  await using database = await migrated()
  await using opened = await open(database)
  const { tenantId, name } = someDomain({ name: 'acme.example' })
  await opened.domains.add(someDomain({ tenantId, name }))
  await opened.domains.remove(tenantId, name)
  await using db = new Database(openPool(database.appUrl, 1), checkSchema)
  assert.deepEqual(await db.asSystem('select removed, sealed_key from pombo.domains'), [
    { removed: true, sealed_key: '' },
  ])
})

test('counts verified domains and names tenants with senders, for doctor', async () => {
  await using database = await migrated()
  await using opened = await open(database)
  await using db = new Database(openPool(database.appUrl, 1), checkSchema)
  assert.deepEqual(await storedSenders(db), { lists: [], verified: 0 })
  const gone = someDomain(VERIFIED)
  for (const domain of [someDomain(VERIFIED), someDomain(), gone]) await opened.domains.add(domain)
  await opened.domains.remove(gone.tenantId, gone.name)
  await db.asSystem(`insert into pombo.tenants (tenant, version, description, created_at, updated_at)
    values ('acme', 1, '{"state":"active","senders":["Acme"]}', 0, 0), ('b', 2, '{"state":"active"}', 0, 0)`)
  assert.deepEqual(await storedSenders(db), { lists: ['acme'], verified: 1 })
})

test(
  'while PostgreSQL is unreachable the cached domains apply, and a process that never loaded them says so',
  options,
  async () => {
    await using database = await migrated()
    await using opened = await open(database)
    const { domains } = opened
    const added = await domains.add(someDomain(VERIFIED))
    assert.ok(typeof added === 'object')
    await faults?.stop()
    try {
      for (const call of [
        () => domains.add(someDomain()),
        () => domains.change(added),
        () => domains.remove(added.tenantId, added.name),
      ]) {
        await assert.rejects(call(), Unavailable)
      }
      await until('it to be said', () => opened.reported.length > 0)
      assert.deepEqual([domains.list(added.tenantId), domains.verified().get(added.name)], [[added], added])
      await using blind = await open(database)
      assert.equal(blind.domains.isLoaded(), false)
      await faults?.start()
      await until('the domains to be known', () => blind.domains.isLoaded())
      assert.deepEqual(blind.domains.list(added.tenantId), [added])
    } finally {
      await faults?.stop()
      await faults?.start()
    }
  },
)
