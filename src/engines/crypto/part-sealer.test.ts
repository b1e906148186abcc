import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPartSealer } from './part-sealer.ts'

const sealer = openPartSealer(new Uint8Array(32).fill(1))

test('a sealed part opens as the same part of the same message only', () => {
  const sealed = sealer.seal({ joint: 'one', number: 1 }, 'text')
  assert.ok(!sealed.includes('text'))
  assert.equal(sealer.open({ joint: 'one', number: 1, sealed }), 'text')
  assert.throws(() => sealer.open({ joint: 'one', number: 2, sealed }))
  assert.throws(() => sealer.open({ joint: 'other', number: 1, sealed }))
})

test('digests keep fields apart, and differ by master key', () => {
  const digests = [
    sealer.digest('ab', 'c'),
    sealer.digest('a', 'bc'),
    openPartSealer(new Uint8Array(32)).digest('ab', 'c'),
  ]
  assert.equal(new Set(digests).size, 3)
  assert.equal(sealer.digest('ab', Uint8Array.of(99)), sealer.digest('ab', 'c'))
})
