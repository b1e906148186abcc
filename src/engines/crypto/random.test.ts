import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRandom } from './random.ts'

test('no draw repeats over many refills of the pool', () => {
  const random = openRandom()
  const drawn = Array.from({ length: 5_000 }, () => random.hex(16))
  assert.equal(new Set(drawn).size, drawn.length)
})

test('a draw has the requested length', () => {
  const random = openRandom()
  for (const length of [1, 8, 32, 100]) {
    assert.equal(random.bytes(length).length, length)
    assert.match(random.hex(length), new RegExp(`^[0-9a-f]{${length * 2}}$`))
  }
})

test('drawn bytes have memory of their own that later draws do not change', () => {
  const random = openRandom()
  const first = random.bytes(32)
  const copy = Uint8Array.from(first)
  for (let draw = 0; draw < 2_000; draw += 1) random.bytes(32)
  assert.deepEqual(first, copy)
  assert.equal(first.buffer.byteLength, 32)
})

test('every byte value occurs, so nothing comes from a wiped pool', () => {
  const random = openRandom()
  const seen = new Set(Array.from({ length: 1_000 }, () => [...random.bytes(33)]).flat())
  assert.equal(seen.size, 256)
  assert.ok(Array.from({ length: 2_000 }, () => random.hex(16)).every((hex) => /[^0]/.test(hex)))
})
