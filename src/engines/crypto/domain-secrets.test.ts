import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, createSign, createVerify } from 'node:crypto'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openDomainSecrets } from './domain-secrets.ts'

const MASTER = new Uint8Array(32).fill(7)
const OWNER = { tenantId: 'acme' as TenantId, name: 'acme.example' }

test('makes a token, a selector and an RSA key of 2048 bits whose public part verifies what the private part signs', async () => {
  const secrets = openDomainSecrets(MASTER)
  const { token, dkim } = await secrets.create(OWNER)
  assert.match(token, /^[\w-]{32}$/)
  assert.match(dkim.selector, /^pombo[0-9a-f]{8}$/)
  const key = createPrivateKey(secrets.open({ ...OWNER, dkim }))
  assert.deepEqual([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength], ['rsa', 2048])
  const published = createPublicKey({ key: Buffer.from(dkim.publicKey, 'base64'), format: 'der', type: 'spki' })
  const signature = createSign('rsa-sha256').update('mail').sign(key)
  assert.ok(createVerify('rsa-sha256').update('mail').verify(published, signature))
})

test('every domain gets secrets of its own', async () => {
  const secrets = openDomainSecrets(MASTER)
  const [one, other] = await Promise.all([secrets.create(OWNER), secrets.create(OWNER)])
  assert.notEqual(one.token, other.token)
  assert.notEqual(one.dkim.selector, other.dkim.selector)
  assert.notEqual(one.dkim.publicKey, other.dkim.publicKey)
})

test('a sealed key opens only for its tenant, domain and selector, under its master key, and unchanged', async () => {
  const secrets = openDomainSecrets(MASTER)
  const { dkim } = await secrets.create(OWNER)
  const { sealedKey } = dkim
  assert.ok(!Buffer.from(sealedKey, 'base64').toString('latin1').includes('PRIVATE'))
  const changed = Buffer.from(sealedKey, 'base64')
  changed[20] = (changed[20] ?? 0) ^ 1
  for (const wrong of [
    { ...OWNER, dkim, tenantId: 'other' as TenantId },
    { ...OWNER, dkim, name: 'other.example' },
    { ...OWNER, dkim: { ...dkim, selector: 'pombo00000000' } },
    { ...OWNER, dkim: { ...dkim, sealedKey: changed.toString('base64') } },
    { ...OWNER, dkim: { ...dkim, sealedKey: '' } },
  ]) {
    assert.throws(() => secrets.open(wrong))
  }
  assert.throws(() => openDomainSecrets(new Uint8Array(32).fill(8)).open({ ...OWNER, dkim }))
})

test('a tenant that has many keys made at once is refused more, and others are not', async () => {
  const secrets = openDomainSecrets(MASTER)
  const many = Promise.allSettled(Array.from({ length: 9 }, () => secrets.create(OWNER)))
  const other = secrets.create({ ...OWNER, tenantId: 'other' as TenantId })
  const refused = (await many).filter((result) => result.status === 'rejected')
  assert.equal(refused.length, 1)
  assert.ok(refused[0]?.reason instanceof Unavailable)
  assert.ok((await other).token)
})
