import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskAddress, toBounded, toTextDigest } from './snapshots.ts'

test('a large snapshot is replaced by its digest', () => {
  const small = { senders: ['x'.repeat(16_000)] }
  assert.equal(toBounded(small), small)
  const large = { senders: ['ü'.repeat(16_000)] }
  assert.deepEqual(toBounded(large), { too_large: toTextDigest(JSON.stringify(large)) })
})

test('a digest tells texts apart without containing them', () => {
  assert.deepEqual(toTextDigest('abc'), {
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    length: 3,
  })
})

test('addresses are masked as in logs, and anything else is hidden', () => {
  assert.deepEqual(['+5511987654321', 'ana@example.com', 'Ana Souza'].map(maskAddress), [
    '+*******4321',
    'a***@example.com',
    '***',
  ])
})
