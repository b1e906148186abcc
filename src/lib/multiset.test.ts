import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Multiset } from './multiset.ts'

test('each key counts how often it was added and not removed', () => {
  const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), adds: fc.boolean() }))
  fc.assert(
    fc.property(steps, (all) => {
      const multiset = new Multiset<string>()
      const expected: Record<string, number> = { a: 0, b: 0, c: 0 }
      for (const { key, adds } of all) {
        if (adds) multiset.add(key)
        else multiset.remove(key)
        expected[key] = Math.max(0, (expected[key] ?? 0) + (adds ? 1 : -1))
        for (const [name, count] of Object.entries(expected)) assert.equal(multiset.count(name), count)
      }
    }),
  )
})
