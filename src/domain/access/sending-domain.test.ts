import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import {
  dkimRecord,
  dkimStatus,
  LONGEST_DOMAIN,
  ownershipRecord,
  ownershipStatus,
  parseSendingDomain,
  type SendingDomain,
  withCheck,
} from './sending-domain.ts'

const DOMAIN: SendingDomain = {
  tenantId: 'acme' as TenantId,
  name: 'acme.example',
  token: 'Jc0p8kYy',
  dkim: { selector: 'pombo3f9a1c2e', publicKey: 'MIIBIjANBgkqhkiG9w0BAQEF/+8=', sealedKey: 'sealed' },
  createdAt: instant(0),
  version: 1,
}
const OWNERSHIP = 'pombo-domain-verification=Jc0p8kYy'
const DKIM = 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEF/+8='

test('names the records to publish', () => {
  assert.deepEqual(ownershipRecord(DOMAIN), { name: '_pombo.acme.example', value: OWNERSHIP })
  assert.deepEqual(dkimRecord(DOMAIN), { name: 'pombo3f9a1c2e._domainkey.acme.example', value: DKIM })
})

test('reads a domain in any case and with a final dot, and refuses what is none', () => {
  assert.equal(parseSendingDomain(' Acme.Example. '), 'acme.example')
  assert.equal(parseSendingDomain('xn--bcher-kva.example'), 'xn--bcher-kva.example')
  const wrong = ['', 'acme', 'acme..example', '*.acme.example', 'bücher.example', '192.0.2.1', 'a@acme.example']
  for (const text of [...wrong, '-a.example', 'a_b.example', 'http://acme.example', 'acme.example/']) {
    assert.equal(parseSendingDomain(text), undefined, text)
  }
})

test('the names of the records of the longest domain fit into the DNS', () => {
  const name = `${`${'a'.repeat(54)}.`.repeat(4)}`.slice(0, -1).padEnd(LONGEST_DOMAIN, 'b')
  assert.equal(parseSendingDomain(name)?.length, LONGEST_DOMAIN)
  assert.equal(parseSendingDomain(`b${name}`), undefined)
  const records = [ownershipRecord({ ...DOMAIN, name }), dkimRecord({ ...DOMAIN, name })]
  for (const record of records) assert.ok(record.name.length <= 253)
})

test('ownership is proven by the exact value, whatever other records there are', () => {
  assert.equal(ownershipStatus(DOMAIN, []), 'missing')
  assert.equal(ownershipStatus(DOMAIN, [OWNERSHIP]), 'valid')
  assert.equal(ownershipStatus(DOMAIN, ['v=spf1 -all', ` ${OWNERSHIP}`]), 'valid')
  assert.equal(ownershipStatus(DOMAIN, ['pombo-domain-verification=another', 'x']), 'mismatch')
  const wrong = fc.string({ unit: 'binary-ascii' }).filter((text) => text.trim() !== OWNERSHIP)
  fc.assert(fc.property(wrong, (text) => assert.equal(ownershipStatus(DOMAIN, [text]), 'mismatch')))
})

test('a published key is valid in any order and spacing of its tags, and with others', () => {
  assert.equal(dkimStatus(DOMAIN, []), 'missing')
  for (const text of [
    DKIM,
    `p=MIIBIjAN  BgkqhkiG9w0\tBAQEF/+8= ;k=rsa;v=DKIM1;`,
    'p=MIIBIjANBgkqhkiG9w0BAQEF/+8=',
    `${DKIM}; t=s; n=note`,
  ]) {
    assert.equal(dkimStatus(DOMAIN, ['v=DKIM1; p=old', text]), 'valid', text)
  }
  for (const text of [
    'v=DKIM1; k=rsa; p=other',
    'v=DKIM1; k=rsa; p=',
    `v=DKIM2${DKIM.slice(7)}`,
    'k=ed25519; p=x',
    '',
  ]) {
    assert.equal(dkimStatus(DOMAIN, [text]), 'mismatch', text)
  }
})

test('a domain is verified since the first check that found the proof, until one does not', () => {
  const check = (at: number, ownership: 'valid' | 'missing') => ({ at: instant(at), ownership, dkim: 'valid' }) as const
  const first = withCheck(DOMAIN, check(5, 'valid'))
  const second = withCheck(first, check(9, 'valid'))
  const lost = withCheck(second, check(12, 'missing'))
  assert.deepEqual([first.verifiedAt, second.verifiedAt, second.checked?.at], [5, 5, 9])
  assert.deepEqual(lost, { ...DOMAIN, checked: check(12, 'missing') })
  assert.equal(withCheck(lost, check(15, 'valid')).verifiedAt, 15)
})
