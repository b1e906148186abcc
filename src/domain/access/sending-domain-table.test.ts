import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import type { SendingDomain } from './sending-domain.ts'
import { type SendingDomainChange, SendingDomainTable } from './sending-domain-table.ts'

const change = (
  version: number,
  wanted: Readonly<{ tenant: string; name: string; kind: Kind }>,
): SendingDomainChange => {
  const { tenant, name, kind } = wanted
  const domain: SendingDomain = {
    tenantId: tenant as TenantId,
    name,
    token: 't',
    dkim: { selector: 's', publicKey: 'p', sealedKey: 'k' },
    createdAt: instant(0),
    version,
    ...(kind === 'pending' ? {} : { verifiedAt: instant(1) }),
  }
  return { domain, removed: kind === 'removed' }
}
type Kind = 'pending' | 'verified' | 'removed'

/** Changes as a store allows them: a domain is verified by one tenant at a time. */
function toHistory(wanted: readonly Readonly<{ tenant: string; name: string; kind: Kind }>[]): SendingDomainChange[] {
  const owners = new Map<string, string>()
  return wanted.map((one, version) => {
    const { tenant, name } = one
    const kind = one.kind === 'verified' && (owners.get(name) ?? tenant) !== tenant ? 'pending' : one.kind
    if (kind === 'verified') owners.set(name, tenant)
    else if (owners.get(name) === tenant) owners.delete(name)
    return change(version, { tenant, name, kind })
  })
}

const TENANTS = ['a', 'b', 'c']
const NAMES = ['x.example', 'y.example']
const wanted = fc.record({
  tenant: fc.constantFrom(...TENANTS),
  name: fc.constantFrom(...NAMES),
  kind: fc.constantFrom<Kind>('pending', 'verified', 'removed'),
})

const contentsOf = (table: SendingDomainTable) => ({
  lists: TENANTS.map((tenant) => table.of(tenant as TenantId).map(({ name, version }) => `${name} ${version}`)),
  verified: NAMES.map((name) => table.verified.get(name)?.version),
})

test('ends the same whatever the order of changes, and however often they come', () => {
  fc.assert(
    fc.property(fc.array(wanted, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (list, dice) => {
      const history = toHistory(list)
      const inOrder = new SendingDomainTable()
      for (const one of history) inOrder.apply(one)
      const mixed = new SendingDomainTable()
      const early = history.filter(() => (dice.next().value ?? 0) % 2 === 0)
      for (const one of early.toReversed()) mixed.apply(one, false)
      for (const one of history) mixed.apply(one)
      assert.deepEqual(contentsOf(mixed), contentsOf(inOrder))
    }),
  )
})

test('verified are exactly the verified domains of the lists', () => {
  fc.assert(
    fc.property(fc.array(wanted, { maxLength: 20 }), (list) => {
      const table = new SendingDomainTable()
      for (const one of toHistory(list)) table.apply(one)
      const listed = TENANTS.flatMap((tenant) => table.of(tenant as TenantId))
      const verified = listed.filter(({ verifiedAt }) => verifiedAt !== undefined)
      assert.deepEqual(new Set(table.verified.values()), new Set(verified))
      for (const { tenantId, name } of listed) assert.ok(table.find(tenantId, name))
    }),
  )
})

test('a domain that passes to another tenant stays with it while earlier changes arrive later', () => {
  const table = new SendingDomainTable()
  table.apply(change(3, { tenant: 'b', name: 'x.example', kind: 'verified' }), false)
  for (const [version, kind] of ['verified', 'removed'].entries()) {
    table.apply(change(version + 1, { tenant: 'a', name: 'x.example', kind: kind as Kind }))
    assert.equal(table.verified.get('x.example')?.tenantId, 'b')
  }
})
