import assert from 'node:assert/strict'
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { test } from 'node:test'
import { toErasure } from '../../domain/message/erasure.ts'
import { type SignedReceipt, toCanonicalJson, toReceipt } from '../../domain/message/erasure-receipt.ts'
import { someErasure } from '../../ports/erasures.contract.ts'
import { openErasureSigner } from './erasure-signer.ts'

const MASTER = randomBytes(32)
const FACTS = { cleaned: [{ store: 'index', action: 'Cleaned: ü.' }], remains: [] }
const RECEIPT = toReceipt({ ...toErasure(someErasure()), erased: 3 }, FACTS)

test('every process with the same master key verifies a receipt, in any order of its fields', () => {
  const signed = openErasureSigner(MASTER).sign(RECEIPT)
  const other = openErasureSigner(MASTER)
  assert.equal(other.verify(signed), true)
  const turned = Object.fromEntries(Object.entries(RECEIPT).toReversed()) as typeof RECEIPT
  assert.equal(other.verify({ ...signed, receipt: turned }), true)
  assert.equal(other.verify(JSON.parse(JSON.stringify(signed, null, 2)) as SignedReceipt), true)
})

test('the public key is enough to verify a receipt', () => {
  const { receipt, signature } = openErasureSigner(MASTER).sign(RECEIPT)
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: signature.public_key }, format: 'jwk' })
  const bytes = Buffer.from(toCanonicalJson(receipt))
  assert.equal(verify(null, bytes, key, Buffer.from(signature.value, 'base64url')), true)
})

test('rejects a receipt that was changed or that another gateway signed', () => {
  const signer = openErasureSigner(MASTER)
  const signed = signer.sign(RECEIPT)
  const changed = { ...RECEIPT, messages: { ...RECEIPT.messages, failed: 0, erased: 4 } }
  assert.equal(signer.verify({ ...signed, receipt: changed }), false)
  assert.equal(signer.verify({ ...signed, receipt: { ...RECEIPT, more: 'than was signed' } as typeof RECEIPT }), false)
  assert.equal(signer.verify(openErasureSigner(randomBytes(32)).sign(RECEIPT)), false)
  for (const value of ['', 'x', signed.signature.value.slice(2)]) {
    assert.equal(signer.verify({ ...signed, signature: { ...signed.signature, value } }), false)
  }
})

test('the key is neither the master key nor any other key derived from it', () => {
  assert.notEqual(openErasureSigner(MASTER).publicKey, openErasureSigner(randomBytes(32)).publicKey)
  assert.throws(() => openErasureSigner(randomBytes(16)), /32 bytes/)
})
