import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MemoryBudget } from './memory-budget.ts'

test('there is never more aboard than fits, unless one alone is heavier', () => {
  const weight = fc.integer({ min: 1, max: 50 })
  fc.assert(
    fc.property(fc.array(fc.oneof(weight, fc.constant('unload' as const))), (steps) => {
      const budget = new MemoryBudget(40)
      const aboard: { weight: number; unload: () => void }[] = []
      for (const step of steps) {
        if (step === 'unload') aboard.shift()?.unload()
        else {
          const total = aboard.reduce((sum, one) => sum + one.weight, 0)
          const unload = budget.take(step)
          assert.equal(unload === undefined, total > 0 && total + step > 40)
          if (unload !== undefined) aboard.push({ weight: step, unload })
        }
      }
    }),
  )
})
