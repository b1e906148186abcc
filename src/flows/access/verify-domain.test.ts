import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDomains } from '../../../test/memory/domains.ts'
import { dkimRecord, ownershipRecord, type SendingDomain } from '../../domain/access/sending-domain.ts'
import { boundedPerKey } from '../../lib/bounded.ts'
import type { TxtAnswer } from '../../ports/dns-lookup.ts'
import { NOON, stopped, tenant } from '../../ports/samples.contract.ts'
import { someDomain } from '../../ports/sending-domains.contract.ts'
import { Refusal } from '../errors.ts'
import { verifyDomain } from './verify-domain.ts'

const unavailable: TxtAnswer = { kind: 'unavailable', reason: 'ETIMEOUT' }

/** A domain, and a DNS whose records the test sets. */
async function open() {
  const domains = memoryDomains()
  const records = new Map<string, TxtAnswer>()
  const dns = { txt: async (name: string): Promise<TxtAnswer> => records.get(name) ?? { kind: 'absent' } }
  const bounded = boundedPerKey(8, () => new Error('too many'))
  const deps = { domains, dns, clock: stopped, bounded }
  const add = async (tenantId = tenant('acme')) => {
    const domain = await domains.add(someDomain({ tenantId, name: 'acme.example', token: `token of ${tenantId}` }))
    assert.ok(typeof domain === 'object')
    return domain
  }
  const publish = (...published: readonly Readonly<{ name: string; value: string }>[]): void => {
    for (const { name, value } of published) records.set(name, { kind: 'found', values: [value] })
  }
  const latest = () => domains.list(tenant('acme'))[0] as SendingDomain
  return { domains, records, publish, add, latest, verify: (domain: SendingDomain) => verifyDomain(deps, domain) }
}

test('verifies a domain whose records are published, and stores what it found', async () => {
  const { add, publish, verify, latest, domains } = await open()
  const domain = await add()
  publish(ownershipRecord(domain), dkimRecord(domain))
  const verified = await verify(domain)
  assert.deepEqual(verified.checked, { at: NOON, ownership: 'valid', dkim: 'valid' })
  assert.equal(verified.verifiedAt, NOON)
  assert.deepEqual([latest(), domains.verified().get('acme.example')], [verified, verified])
})

test('reports records that are missing or have other values, and verifies nothing by them', async () => {
  const { add, publish, verify, domains } = await open()
  const missing = await verify(await add())
  assert.deepEqual([missing.checked?.ownership, missing.checked?.dkim], ['missing', 'missing'])
  publish({ ...ownershipRecord(missing), value: 'x' }, { ...dkimRecord(missing), value: 'v=DKIM1; p=x' })
  const wrong = await verify(missing)
  assert.deepEqual([wrong.checked?.ownership, wrong.checked?.dkim], ['mismatch', 'mismatch'])
  assert.equal(domains.verified().size, 0)
})

test('a domain can be verified without its DKIM record', async () => {
  const { add, publish, verify } = await open()
  const domain = await add()
  publish(ownershipRecord(domain))
  const { verifiedAt, checked } = await verify(domain)
  assert.deepEqual([verifiedAt, checked?.dkim], [NOON, 'missing'])
})

test('while the DNS gives no answer the call is refused, and a verified domain stays verified', async () => {
  const { add, publish, records, verify, latest, domains } = await open()
  const domain = await add()
  publish(ownershipRecord(domain), dkimRecord(domain))
  const verified = await verify(domain)
  for (const record of [ownershipRecord(domain), dkimRecord(domain)]) {
    records.set(record.name, unavailable)
    await assert.rejects(verify(verified), { code: 'UNAVAILABLE', message: /ETIMEOUT.*nothing was changed/ })
    publish(record)
  }
  assert.deepEqual([latest(), domains.verified().size], [verified, 1])
})

test('a domain whose proof is gone is no longer verified', async () => {
  const { add, publish, records, verify, domains } = await open()
  const domain = await add()
  publish(ownershipRecord(domain))
  const verified = await verify(domain)
  records.clear()
  assert.equal((await verify(verified)).verifiedAt, undefined)
  assert.equal(domains.verified().size, 0)
})

test('a domain that another tenant has verified is refused, whatever is published', async () => {
  const { add, publish, verify, domains } = await open()
  const [mine, theirs] = [await add(), await add(tenant('other'))]
  publish(ownershipRecord(theirs))
  await verify(theirs)
  publish(ownershipRecord(mine))
  await assert.rejects(verify(mine), { code: 'CONFLICT', message: /verified by another tenant/ })
  assert.equal(domains.verified().get('acme.example')?.tenantId, 'other')
})

test('a domain that was changed or removed meanwhile is refused', async () => {
  const { add, verify, domains } = await open()
  const domain = await add()
  await verify(domain)
  await assert.rejects(verify(domain), { code: 'CONFLICT' })
  await domains.remove(domain.tenantId, domain.name)
  await assert.rejects(verify(domain), (error) => error instanceof Refusal && error.code === 'CONFLICT')
})
