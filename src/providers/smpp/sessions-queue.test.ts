import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SessionQueue } from './sessions-queue.ts'

test('whatever comes and goes, the first is served first, and who was turned away before all others', () => {
  const step = fc.constantFrom('push', 'shift', 'put back' as const)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const line = new SessionQueue<number>()
      const model: number[] = []
      for (const [number, what] of steps.entries()) {
        if (what === 'push') line.push(number)
        else if (what === 'put back') line.putBack(number)
        else if (model.length > 0) line.shift()
        if (what === 'push') model.push(number)
        else if (what === 'put back') model.unshift(number)
        else model.shift()
        assert.deepEqual([line.first, line.length], [model[0], model.length])
      }
      assert.deepEqual(line.clear(), model)
      assert.deepEqual([line.first, line.length], [undefined, 0])
    }),
  )
})
