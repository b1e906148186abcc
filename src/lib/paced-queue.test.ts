import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PacedQueue, type QueuedJob } from './paced-queue.ts'
import { seconds } from './time.ts'

const NEVER = new AbortController().signal

test('starts jobs in order, and each waits for the units of those before it', async () => {
  using queue = new PacedQueue({ unitsPerSecond: 20 })
  const began = performance.now()
  const order: number[] = []
  const run = async (name: number, units: number) => {
    assert.equal(await queue.take(NEVER, { units }), true)
    order.push(name)
  }
  await Promise.all([run(1, 10), run(2, 1), run(3, 1)])
  assert.deepEqual(order, [1, 2, 3])
  // The burst is two units; the other ten take half a second.
  assert.ok(performance.now() - began >= 490, 'ten units at 20 per second take half a second')
})

test('skips a job whose signal aborts', async () => {
  using queue = new PacedQueue({ unitsPerSecond: 1 })
  assert.equal(await queue.take(NEVER), true)
  const controller = new AbortController()
  const aborted = queue.take(controller.signal, { units: 1_000 })
  const next = queue.take(AbortSignal.timeout(20_000))
  controller.abort()
  assert.equal(await aborted, false)
  assert.equal(await next, true)
  assert.equal(await queue.take(AbortSignal.abort()), false)
})

test('starts nothing during the pause that the provider asked for', async () => {
  using queue = new PacedQueue({ unitsPerSecond: 1_000 })
  queue.throttle(seconds(60))
  const controller = new AbortController()
  const waiting = queue.take(controller.signal)
  controller.abort()
  assert.equal(await waiting, false)
})

test('drops waiting jobs when it is disposed', async () => {
  const queue = new PacedQueue({ unitsPerSecond: 1 })
  await queue.take(NEVER)
  const waiting = queue.take(NEVER)
  queue[Symbol.dispose]()
  assert.equal(await waiting, false)
})

test('starts a job only while there is capacity', () => {
  let capacity = 2
  const started: number[] = []
  using queue = new PacedQueue({ hasCapacity: () => capacity > 0 })
  for (const name of [1, 2, 3, 4]) {
    const start = () => {
      capacity -= 1
      started.push(name)
    }
    queue.push({ start, drop: () => undefined })
  }
  assert.deepEqual(started, [1, 2])
  capacity = 1
  queue.pump()
  assert.deepEqual(started, [1, 2, 3])
})

test('starts in any sequence of operations what a plain list would start', () => {
  const step = fc.constantFrom('push', 'start', 'put back', 'cancel' as const)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let capacity = 0
      const [started, dropped]: [QueuedJob[], QueuedJob[]] = [[], []]
      const queue = new PacedQueue({ hasCapacity: () => capacity > 0 })
      const newJob = (): QueuedJob => {
        const start = () => {
          capacity -= 1
          started.push(job)
        }
        const job: QueuedJob = { start, drop: () => dropped.push(job) }
        return job
      }
      const model: QueuedJob[] = []
      const expected: QueuedJob[] = []
      for (const [number, what] of steps.entries()) {
        const job = newJob()
        if (what === 'push') {
          queue.push(job)
          model.push(job)
        } else if (what === 'put back') {
          queue.putBack(job)
          model.unshift(job)
        } else if (what === 'cancel') {
          const [cancelled] = model.splice(number % (model.length + 1), 1)
          if (cancelled !== undefined) cancelled.isCancelled = true
        } else {
          capacity = 1
          queue.pump()
          capacity = 0
          expected.push(...model.splice(0, 1))
        }
      }
      assert.ok(started.length === expected.length && started.every((job, at) => job === expected[at]))
      queue.clear()
      assert.ok(dropped.length === model.length && dropped.every((job, at) => job === model[at]))
    }),
  )
})
