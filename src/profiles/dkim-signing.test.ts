import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { memoryDomains } from '../../test/memory/domains.ts'
import { openDomainSecrets } from '../engines/crypto/domain-secrets.ts'
import { NOON, tenant } from '../ports/samples.contract.ts'
import { someDomain } from '../ports/sending-domains.contract.ts'
import { address, someMailAttempt } from '../providers/mail.fixture.ts'
import { dkimSigningOf } from './dkim-signing.ts'

const MASTER = new Uint8Array(32).fill(7)
const ACME = tenant('acme')

async function open(dkimStatus: 'valid' | 'missing' = 'valid') {
  const domains = memoryDomains()
  const owner = { tenantId: ACME, name: 'acme.example' }
  const secrets = await openDomainSecrets(MASTER).create(owner)
  const checked = { at: NOON, ownership: 'valid', dkim: dkimStatus } as const
  await domains.add(someDomain({ ...owner, ...secrets, checked, verifiedAt: NOON }))
  const signingFor = dkimSigningOf(domains, MASTER)
  const signing = (from: string, tenantId = ACME) =>
    signingFor({ ...someMailAttempt({ from: { address: address(from) } }), tenantId })
  return { domains, secrets, signing, signingFor }
}

test('finds the key of the domain of the sender, and opens it', async () => {
  const { secrets, signing } = await open()
  for (const from of ['a@acme.example', 'a@Mail.acme.example', 'a@acme.example']) {
    const found = signing(from)
    assert.deepEqual([found?.domain, found?.selector], ['acme.example', secrets.dkim.selector])
    const published = createPublicKey(createPrivateKey(found?.privateKey ?? ''))
    assert.equal(published.export({ type: 'spki', format: 'der' }).toString('base64'), secrets.dkim.publicKey)
  }
})

test('finds none for other senders, other tenants, mail without a sender, and a key that is not published', async () => {
  const { signing, signingFor } = await open()
  assert.equal(signing('a@other.example'), undefined)
  assert.equal(signing('a@acme.example', tenant('other')), undefined)
  assert.equal(signingFor({ ...someMailAttempt(), tenantId: ACME }), undefined)
  assert.equal((await open('missing')).signing('a@acme.example'), undefined)
})

test('a removed domain is no longer signed for', async () => {
  const { domains, signing } = await open()
  assert.ok(signing('a@acme.example'))
  await domains.remove(ACME, 'acme.example')
  assert.equal(signing('a@acme.example'), undefined)
})
