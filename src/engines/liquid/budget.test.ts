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
  assert.throws(() => memoryLimit.use(1), { constructor: OverBudget, isTime: false })
})

test('no variable is read once the time is up', () => {
  const { options } = new Liquid()
  const read = (millis: number): unknown =>
    new BoundedContext({ a: 1 }, options, {}, openBudget({ millis, memory: 10 })).readProperty({ a: 1 }, 'a')
  assert.equal(read(60_000), 1)
  assert.throws(() => read(-1), { constructor: OverBudget, isTime: true })
})

test('time in which the thread waits for a core does not count', () => {
  let [cpu, reads] = [100, 0]
  const { renderLimit } = openBudget({ millis: 50, memory: 10 }, () => {
    reads += 1
    return cpu
  })
  const from = performance.now()
  renderLimit.check(from + 49)
  assert.equal(reads, 1)
  cpu += 20
  renderLimit.check(from + 5_000)
  renderLimit.check(from + 5_029)
  assert.equal(reads, 2)
  cpu += 30
  assert.throws(() => renderLimit.check(from + 5_100), OverBudget)
})
