import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MemoryBudget } from './memory-budget.ts'

test('never admits more than fits, except a single item that is larger', () => {
  const size = fc.integer({ min: 1, max: 50 })
  fc.assert(
    fc.property(fc.array(fc.oneof(size, fc.constant('release' as const))), (steps) => {
      const budget = new MemoryBudget(40)
      const held: { size: number; release: () => void }[] = []
      for (const step of steps) {
        if (step === 'release') held.shift()?.release()
        else {
          const total = held.reduce((sum, one) => sum + one.size, 0)
          const release = budget.take(step)
          assert.equal(release === undefined, total > 0 && total + step > 40)
          if (release !== undefined) held.push({ size: step, release })
        }
      }
    }),
  )
})
