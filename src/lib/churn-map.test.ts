import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ChurnMap } from './churn-map.ts'

const key = fc.nat(150)
const change = fc.oneof(
  { weight: 50, arbitrary: fc.record({ kind: fc.constant('set' as const), key, value: fc.nat() }) },
  { weight: 50, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
)

test('behaves as a Map, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 2_000, size: 'max' }), (changes) => {
      const [map, model] = [new ChurnMap<number, number>(), new Map<number, number>()]
      for (const one of changes) {
        if (one.kind === 'set') {
          map.set(one.key, one.value)
          model.set(one.key, one.value)
        } else if (one.kind === 'delete') assert.equal(map.delete(one.key), model.delete(one.key))
        else {
          map.clear()
          model.clear()
        }
      }
      assert.equal(map.size, model.size)
      assert.deepEqual([...map.values()], [...model.values()])
      for (let n = 0; n <= 150; n += 1) assert.equal(map.get(n), model.get(n))
    }),
    { numRuns: 50 },
  )
})
