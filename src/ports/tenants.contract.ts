/** The tests every store of tenants must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Tenant } from '../domain/access/tenant.ts'
import { tenantIn } from '../domain/access/test-mode.ts'
import type { ProviderName } from '../domain/ids.ts'
import { later, seconds } from '../lib/time.ts'
import { NOON, tenant } from './samples.contract.ts'
import type { NewTenant, StoredTenant, Tenants } from './tenants.ts'

/** The store may be shared: every test uses tenants of its own. */
export type OpenTenants = (file: readonly Tenant[]) => Promise<Readonly<{ tenants: Tenants }> & AsyncDisposable>

export function tenantsContract(engine: string, open: OpenTenants): void {
  describe(`tenants on ${engine}`, { timeout: 120_000 }, () => {
    knowing(open)
    changing(open)
  })
}

function knowing(open: OpenTenants): void {
  test('stores a tenant as given, and knows it at once', async () => {
    await using opened = await open([])
    const { tenants } = opened
    assert.equal(tenants.isLoaded(), true)
    for (const wanted of [someTenant(), someTenant(FULL)]) {
      assert.equal(tenants.of(wanted.id), undefined)
      const added = await tenants.add(wanted)
      assert.deepEqual(added, { ...wanted, own: { ...wanted.own, version: added?.own.version } })
      assert.deepEqual(tenants.of(wanted.id), added)
    }
  })

  test('knows a test tenant by its live tenant', async () => {
    await using opened = await open([])
    const { tenants } = opened
    const added = await present(tenants.add(someTenant()))
    assert.deepEqual(tenants.of(tenantIn('test', added.id)), added)
    assert.equal(tenants.of(tenantIn('test', tenant('nobody'))), undefined)
  })

  test('lists tenants by id, those of the file among them', async () => {
    const filed: Tenant = { id: tenant(`m-${randomUUID()}`), state: 'active' }
    await using opened = await open([filed])
    const { tenants } = opened
    const [last, first] = [
      someTenant({ id: tenant(`z-${randomUUID()}`) }),
      someTenant({ id: tenant(`a-${randomUUID()}`) }),
    ]
    for (const wanted of [last, first]) await tenants.add(wanted)
    const ids = tenants.list().map(({ id }) => id)
    assert.deepEqual(ids, ids.toSorted())
    assert.deepEqual(
      ids.filter((id) => [first.id, filed.id, last.id].includes(id)),
      [first.id, filed.id, last.id],
    )
  })

  test('lists the same array until a tenant changes', async () => {
    await using opened = await open([])
    const { tenants } = opened
    const before = tenants.list()
    assert.equal(tenants.list(), before)
    await tenants.add(someTenant())
    assert.notEqual(tenants.list(), before)
  })
}

function changing(open: OpenTenants): void {
  test('a tenant of the file stays as it is there', async () => {
    const filed: Tenant = { id: tenant(randomUUID()), state: 'suspended', name: 'Filed' }
    await using opened = await open([filed])
    const { tenants } = opened
    assert.equal(await tenants.add(someTenant({ id: filed.id })), undefined)
    assert.equal(await tenants.change({ ...someTenant({ id: filed.id }), own: { ...OWN, version: 1 } }), undefined)
    assert.deepEqual(tenants.of(filed.id), filed)
  })

  test('of concurrent additions of one tenant exactly one succeeds', async () => {
    await using opened = await open([])
    const { tenants } = opened
    const wanted = someTenant()
    const added = await Promise.all(Array.from({ length: 9 }, () => tenants.add(wanted)))
    assert.equal(added.filter((one) => one !== undefined).length, 1)
    assert.deepEqual(
      [tenants.of(wanted.id)],
      added.filter((one) => one !== undefined),
    )
  })

  test('a change is visible at once, and removes fields it does not contain', async () => {
    await using opened = await open([])
    const { tenants } = opened
    const added = await present(tenants.add(someTenant(FULL)))
    const own = { ...added.own, updatedAt: later(NOON, seconds(5)) }
    const changed = await present(tenants.change({ id: added.id, state: 'active', own }))
    assert.deepEqual(changed, { id: added.id, state: 'active', own: { ...own, version: changed.own.version } })
    assert.notEqual(changed.own.version, added.own.version)
    assert.deepEqual(tenants.of(added.id), changed)
  })

  test('of concurrent changes of one version exactly one wins', async () => {
    await using opened = await open([])
    const { tenants } = opened
    const added = await present(tenants.add(someTenant()))
    const changes = ['One', 'Two', 'Three'].map((name) => tenants.change({ ...added, name }))
    const [changed, ...more] = (await Promise.all(changes)).filter((one) => one !== undefined)
    assert.deepEqual([more, tenants.of(added.id)], [[], changed])
    assert.equal(await tenants.change({ ...added, name: 'Late' }), undefined)
    assert.equal(await tenants.change({ ...added, id: tenant(randomUUID()) }), undefined)
    assert.deepEqual(tenants.of(added.id), changed)
  })
}

const OWN = { createdAt: NOON, updatedAt: NOON }

/** A tenant with all fields. */
export const FULL: Omit<NewTenant, 'id' | 'own'> = {
  name: 'Açme "Inc" 👍',
  state: 'suspended',
  providers: ['one', 'two'] as readonly string[] as readonly ProviderName[],
  senders: ['Acme', '+15005550006', '*.acme.example'],
  quotas: { limits: 0, storedBytes: 2 ** 40 },
  retentionDays: 30,
  defaultLocale: 'pt-BR',
}

export const someTenant = (wanted: Partial<NewTenant> = {}): NewTenant => ({
  id: tenant(randomUUID()),
  state: 'active',
  own: OWN,
  ...wanted,
})

async function present(promised: Promise<StoredTenant | undefined>): Promise<StoredTenant> {
  const value = await promised
  assert.ok(value !== undefined)
  return value
}
