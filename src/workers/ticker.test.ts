import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Ticker } from './ticker.ts'

const EVERY = 1_000
const noFault = (error: unknown): void => assert.fail(String(error))

test('runs a task periodically, first after one interval', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let done = 0
  const chore = async () => {
    done += 1
  }
  await using _ticker = new Ticker({ task: chore, onFault: noFault }, EVERY)
  t.mock.timers.tick(EVERY - 1)
  assert.equal(done, 0)
  for (const times of [1, 2, 3]) {
    t.mock.timers.tick(EVERY)
    assert.equal(done, times)
    await setImmediate()
  }
})

test('never runs a task twice at once: the next interval begins when it has ended', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let begun = 0
  let end = Promise.withResolvers<void>()
  const chore = () => {
    begun += 1
    return end.promise
  }
  await using _ticker = new Ticker({ task: chore, onFault: noFault }, EVERY)
  t.mock.timers.tick(EVERY)
  t.mock.timers.tick(5 * EVERY)
  assert.equal(begun, 1)
  end.resolve()
  await setImmediate()
  end = Promise.withResolvers()
  end.resolve()
  t.mock.timers.tick(EVERY)
  assert.equal(begun, 2)
})

test('reports a fault, and runs the task again after the next interval', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const faults: unknown[] = []
  const fault = new Error('no disk')
  const chore = async () => {
    throw fault
  }
  await using _ticker = new Ticker({ task: chore, onFault: (error) => faults.push(error) }, EVERY)
  for (const _ of [1, 2]) {
    t.mock.timers.tick(EVERY)
    await setImmediate()
  }
  assert.deepEqual(faults, [fault, fault])
})

test('disposing waits for the running task and starts no other', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const end = Promise.withResolvers<void>()
  let begun = 0
  const chore = () => {
    begun += 1
    return end.promise
  }
  const ticker = new Ticker({ task: chore, onFault: noFault }, EVERY)
  t.mock.timers.tick(EVERY)
  let isDisposed = false
  const disposing = ticker[Symbol.asyncDispose]().then(() => {
    isDisposed = true
  })
  await setImmediate()
  assert.equal(isDisposed, false)
  end.resolve()
  await disposing
  t.mock.timers.tick(10 * EVERY)
  assert.equal(begun, 1)
})

test('disposing during the first interval runs nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const ticker = new Ticker({ task: async () => assert.fail('nobody asked for it'), onFault: noFault }, EVERY)
  await ticker[Symbol.asyncDispose]()
  t.mock.timers.tick(10 * EVERY)
})
