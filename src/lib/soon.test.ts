import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whenReady } from './soon.ts'

const double = (value: number): number => 2 * value

test('continues at once with a value that is there', () => {
  assert.equal(whenReady(21, double), 42)
})

test('continues after a promise, and waits for what follows', async () => {
  const doubled = whenReady(Promise.resolve(21), async (value) => double(value))
  assert.ok(doubled instanceof Promise)
  assert.equal(await doubled, 42)
})

test('rejects with the error of the promise, without continuing', async () => {
  const failed = Promise.reject(new Error('no answer'))
  await assert.rejects(async () => whenReady(failed, () => assert.fail('continued')), /no answer/)
})
