import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Liquid } from 'liquidjs'
import { BoundedContext, OverBudget, openBudget } from './budget.ts'

test('memory is used up by the sum of what is reserved, and non-numbers cost nothing', () => {
  const { memoryLimit } = openBudget({ millis: 50, memory: 10 })
  memoryLimit.use(6)
  memoryLimit.use(Number.NaN)
  memoryLimit.use(-100)
  memoryLimit.use(4)
  assert.throws(() => memoryLimit.use(1), OverBudget)
})

test('no variable is read once the time is up', () => {
  const { options } = new Liquid()
  const read = (millis: number): unknown =>
    new BoundedContext({ a: 1 }, options, {}, openBudget({ millis, memory: 10 })).readProperty({ a: 1 }, 'a')
  assert.equal(read(60_000), 1)
  assert.throws(() => read(-1), OverBudget)
})
