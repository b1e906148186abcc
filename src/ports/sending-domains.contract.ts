/** The tests every store of sending domains must pass. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { NewSendingDomain, SendingDomain } from '../domain/access/sending-domain.ts'
import type { TenantId } from '../domain/ids.ts'
import { later, seconds } from '../lib/time.ts'
import { NOON, tenant } from './samples.contract.ts'
import type { SendingDomains } from './sending-domains.ts'

/** The store may be shared: every test uses tenants and domains of its own. */
export type OpenDomains = () => Promise<Readonly<{ domains: SendingDomains }> & AsyncDisposable>

export function sendingDomainsContract(engine: string, open: OpenDomains): void {
  describe(`sending domains on ${engine}`, { timeout: 120_000 }, () => {
    storing(open)
    verifying(open)
  })
}

function storing(open: OpenDomains): void {
  test('stores a domain as given, and lists those of a tenant by name', async () => {
    await using opened = await open()
    const { domains } = opened
    const tenantId = tenant(randomUUID())
    const [bare, checked] = [someDomain({ tenantId }), someDomain({ tenantId, ...CHECKED })]
    const [first, second] = [await added(domains, bare), await added(domains, checked)]
    assert.deepEqual(first, { ...bare, version: first.version })
    assert.deepEqual(second, { ...checked, version: second.version })
    assert.deepEqual(domains.list(tenantId), [first, second].toSorted(byName))
    assert.deepEqual(domains.list(tenant(randomUUID())), [])
    assert.ok(domains.isLoaded())
  })

  test('of concurrent additions of one domain exactly one succeeds, and other tenants may add it too', async () => {
    await using opened = await open()
    const { domains } = opened
    const wanted = someDomain()
    const results = await Promise.all(Array.from({ length: 9 }, () => domains.add(wanted)))
    assert.equal(results.filter((domain) => domain !== undefined).length, 1)
    const other = await added(domains, { ...wanted, tenantId: tenant(randomUUID()), token: 'another' })
    assert.deepEqual(domains.list(other.tenantId), [other])
  })

  test('a removed domain can be added again, with other secrets', async () => {
    await using opened = await open()
    const { domains } = opened
    const wanted = someDomain()
    const { tenantId, name } = await added(domains, { ...wanted, ...CHECKED })
    assert.equal(await domains.remove(tenant(randomUUID()), name), false)
    assert.equal(await domains.remove(tenantId, name), true)
    assert.equal(await domains.remove(tenantId, name), false)
    assert.deepEqual([domains.list(tenantId), domains.verified().get(name)], [[], undefined])
    const dkim = { selector: 'pombo2', publicKey: 'public2', sealedKey: 'sealed2' }
    const anew = await added(domains, { ...wanted, token: 'token2', dkim })
    assert.deepEqual([anew.token, anew.dkim, anew.checked], ['token2', dkim, undefined])
    assert.deepEqual(domains.list(tenantId), [anew])
  })

  test('of concurrent changes of one version exactly one wins', async () => {
    await using opened = await open()
    const { domains } = opened
    const domain = await added(domains, someDomain())
    const changes = [1, 2, 3].map((after) => domains.change({ ...domain, ...checkedAt(after) }))
    const [changed, ...more] = (await Promise.all(changes)).filter((one) => one !== undefined)
    assert.deepEqual([more, domains.list(domain.tenantId)], [[], [changed]])
    assert.equal(await domains.change({ ...domain, ...checkedAt(4) }), undefined)
    const { tenantId, name } = domain
    await domains.remove(tenantId, name)
    const anew = await added(domains, someDomain({ tenantId, name }))
    assert.equal(await domains.change({ ...domain, ...CHECKED }), undefined)
    assert.deepEqual(domains.list(domain.tenantId), [anew])
  })
}

function verifying(open: OpenDomains): void {
  test('a domain is verified from the change that says so until one that does not', async () => {
    await using opened = await open()
    const { domains } = opened
    const domain = await added(domains, someDomain())
    const { name, tenantId } = domain
    assert.equal(domains.verified().get(name), undefined)
    const verified = await changed(domains, { ...domain, ...CHECKED })
    assert.deepEqual(verified, { ...domain, ...CHECKED, version: verified.version })
    assert.deepEqual([domains.verified().get(name), domains.list(tenantId)], [verified, [verified]])
    const { verifiedAt: _, ...rest } = verified
    const lost = await changed(domains, { ...rest, ...checkedAt(9) })
    assert.deepEqual([domains.verified().get(name), domains.list(tenantId)], [undefined, [lost]])
  })

  test('of the tenants that verify one domain only the first succeeds, until it removes the domain', async () => {
    await using opened = await open()
    const { domains } = opened
    const first = await added(domains, someDomain())
    const others = await Promise.all(
      [1, 2].map(() => added(domains, someDomain({ name: first.name, tenantId: tenant(randomUUID()) }))),
    )
    const results = await Promise.all([first, ...others].map((domain) => domains.change({ ...domain, ...CHECKED })))
    const winners = results.flatMap((result) => (typeof result === 'object' ? [result] : []))
    assert.deepEqual(results.filter((result) => result === 'taken').length, 2)
    assert.equal(winners.length, 1)
    const owner = winners[0]?.tenantId as TenantId
    assert.equal(domains.verified().get(first.name)?.tenantId, owner)
    const newcomer = someDomain({ name: first.name, tenantId: tenant(randomUUID()), ...CHECKED })
    assert.equal(await domains.add(newcomer), 'taken')
    const next = [first, ...others].find(({ tenantId }) => tenantId !== owner) as SendingDomain
    await domains.remove(owner, first.name)
    const passed = await changed(domains, { ...next, ...CHECKED })
    assert.deepEqual(domains.verified().get(first.name), passed)
  })

  test('a tenant may check a domain again that it has verified', async () => {
    await using opened = await open()
    const { domains } = opened
    const domain = await added(domains, { ...someDomain(), ...CHECKED })
    const again = await changed(domains, { ...domain, ...checkedAt(60) })
    assert.deepEqual(domains.verified().get(domain.name), again)
  })
}

const checkedAt = (after: number) => ({
  checked: { at: later(NOON, seconds(after)), ownership: 'missing', dkim: 'mismatch' } as const,
})

/** A check that has found both records. */
const CHECKED = { checked: { at: NOON, ownership: 'valid', dkim: 'valid' }, verifiedAt: NOON } as const

/** A domain, by default a new one of a new tenant. */
export const someDomain = (wanted: Partial<NewSendingDomain> = {}): NewSendingDomain => ({
  tenantId: tenant(randomUUID()),
  name: `${randomUUID()}.example`,
  token: 'token',
  dkim: { selector: 'pombo1', publicKey: 'public', sealedKey: 'sealed' },
  createdAt: NOON,
  ...wanted,
})

const byName = (one: SendingDomain, other: SendingDomain): number => (one.name < other.name ? -1 : 1)

async function added(domains: SendingDomains, wanted: NewSendingDomain): Promise<SendingDomain> {
  return present(await domains.add(wanted))
}

async function changed(domains: SendingDomains, wanted: SendingDomain): Promise<SendingDomain> {
  return present(await domains.change(wanted))
}

function present(result: SendingDomain | 'taken' | undefined): SendingDomain {
  assert.ok(typeof result === 'object', `the domain was ${result ?? 'not stored'}`)
  return result
}
