import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WeighedCache } from './weighed-cache.ts'

test('keeps what was used last, up to its capacity', () => {
  const cache = new WeighedCache<string, { name: string }>(100)
  for (const name of ['a', 'b', 'c', 'd']) cache.set(name, { name }, 20)
  assert.equal(cache.get('a')?.name, 'a')
  for (const name of ['e', 'f', 'g']) {
    cache.set(name, { name }, 20)
    assert.equal(cache.get('a')?.name, 'a')
  }
  assert.equal(cache.get('b'), undefined)
})

test('a new value replaces the old one, and one that is too heavy is not kept', () => {
  const cache = new WeighedCache<string, { nth: number }>(100)
  cache.set('a', { nth: 1 }, 50)
  cache.set('a', { nth: 2 }, 10)
  assert.equal(cache.get('a')?.nth, 2)
  cache.set('a', { nth: 3 }, 51)
  assert.equal(cache.get('a'), undefined)
})

test('always has the entry that was set last, if it is light enough', () => {
  const entries = fc.array(fc.record({ key: fc.integer({ min: 0, max: 9 }), weight: fc.integer({ min: 1, max: 60 }) }))
  fc.assert(
    fc.property(entries, (all) => {
      const cache = new WeighedCache<number, { weight: number }>(80)
      for (const { key, weight } of all) {
        cache.set(key, { weight }, weight)
        assert.equal(cache.get(key)?.weight, weight > 40 ? undefined : weight)
      }
    }),
  )
})

test('forgets what has not been used for long', () => {
  const cache = new WeighedCache<number, { key: number }>(80)
  for (let key = 0; key < 100; key += 1) cache.set(key, { key }, 10)
  const kept = Array.from({ length: 92 }, (_, key) => cache.get(key)).filter((entry) => entry !== undefined)
  assert.deepEqual(kept, [])
})
