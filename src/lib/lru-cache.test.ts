import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LruCache } from './lru-cache.ts'

test('keeps recent entries and drops those not read for long', () => {
  const newest = new LruCache<number, { n: number }>(8)
  for (let n = 0; n < 100; n += 1) {
    newest.set(n, { n })
    assert.ok(newest.get(0), 'asked for every time, and still here')
  }
  assert.deepEqual(newest.get(99), { n: 99 })
  assert.equal(newest.get(50), undefined)
})

test('returns only the last value set, and keeps at least half of its capacity', () => {
  const step = fc.tuple(fc.constantFrom('set', 'delete', 'get'), fc.nat(12))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const newest = new LruCache<number, { at: number }>(8)
      const all = new Map<number, { at: number }>()
      const order: number[] = []
      for (const [at, [kind, key]] of steps.entries()) {
        if (kind === 'set') {
          newest.set(key, { at })
          all.set(key, { at })
          order.push(key)
        } else if (kind === 'delete') {
          newest.delete(key)
          all.delete(key)
        } else {
          const last = newest.get(key)
          if (last !== undefined) assert.deepEqual(last, all.get(key))
        }
      }
      const lastFour = [...new Set(order.toReversed())].slice(0, 4)
      const gets = steps.filter(([kind]) => kind === 'get').length
      if (gets === 0) for (const key of lastFour) assert.deepEqual(newest.get(key), all.get(key))
    }),
  )
})

test('clearing removes everything', () => {
  const newest = new LruCache<string, object>(4)
  for (const key of ['a', 'b', 'c']) newest.set(key, {})
  newest.clear()
  for (const key of ['a', 'b', 'c']) assert.equal(newest.get(key), undefined)
})
