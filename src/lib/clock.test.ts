import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { followClock, openClock, SYSTEM } from './clock.ts'
import { instant, type Millis } from './time.ts'

const NOON = 1_900_000_000_000
const DAY = 24 * 3_600_000

/** A clock with sources that the test controls: `pass` lets time pass, `jump` sets the wall clock. */
function open() {
  let [wall, monotonic] = [NOON, 50_000.25]
  const setBacks: Millis[] = []
  const sources = { wall: () => instant(Math.floor(wall)), monotonic: () => monotonic }
  const clock = openClock((behind) => setBacks.push(behind), sources)
  return {
    ...clock,
    follow: () => followClock(clock.shared, sources.monotonic),
    setBacks,
    pass(ms: number): void {
      wall += ms
      monotonic += ms
    },
    jump(ms: number): void {
      wall += ms
    },
  }
}

test('follows the wall clock, also when that jumps forward', () => {
  const { now, pass, jump, ahead } = open()
  assert.equal(now(), NOON)
  pass(1_500)
  assert.equal(now(), NOON + 1_500)
  jump(DAY)
  assert.equal(now(), NOON + DAY + 1_500)
  assert.equal(ahead(), 0)
})

test('continues a tenth slower when the wall clock is set back by a day, and reports it once', () => {
  const { now, pass, jump, ahead, setBacks } = open()
  jump(-DAY)
  assert.equal(now(), NOON)
  assert.equal(ahead(), DAY)
  for (let second = 0; second < 60; second += 1) {
    pass(1_000)
    now()
  }
  assert.equal(now(), NOON + 54_000)
  assert.deepEqual(setBacks, [DAY])
  jump(-DAY)
  now()
  assert.equal(setBacks.length, 2)
})

test('follows the wall clock again once that has caught up', () => {
  const { now, pass, jump, wall, ahead, setBacks } = open()
  jump(-30_000)
  let before = now()
  for (let second = 0; second < 310; second += 1) {
    pass(1_000)
    assert.ok(now() > before)
    before = now()
  }
  assert.ok(Math.abs(now() - wall()) <= 1)
  assert.equal(ahead(), 0)
  pass(60_000)
  assert.ok(Math.abs(now() - wall()) <= 1)
  assert.equal(setBacks.length, 1)
})

test('does not report a step back of less than a second', () => {
  const { now, jump, setBacks, ahead } = open()
  jump(-900)
  assert.deepEqual([now(), ahead(), setBacks], [NOON, 0, []])
})

test('can start ahead of the wall clock, and reports by how much', () => {
  const { now, pass, advanceTo, setBacks } = open()
  advanceTo(instant(NOON + DAY))
  assert.equal(now(), NOON + DAY)
  assert.deepEqual(setBacks, [DAY])
  pass(10_000)
  assert.equal(now(), NOON + DAY + 9_000)
  advanceTo(instant(NOON))
  assert.equal(now(), NOON + DAY + 9_000)
})

test('never goes back and is never behind the wall clock, whatever that does', () => {
  const step = fc.record({ pass: fc.integer({ min: 0, max: 100_000 }), jump: fc.integer({ min: -DAY, max: DAY }) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const { now, wall, pass, jump, follow } = open()
      const elsewhere = follow()
      let before = now()
      for (const { pass: passed, jump: jumped } of steps) {
        pass(passed)
        jump(jumped)
        const after = now()
        assert.ok(after >= before && after >= wall() - 1, `${after} after ${before}`)
        assert.ok(Math.abs(elsewhere() - after) <= 1)
        before = after
      }
    }),
  )
})

test('is the same in another thread', async () => {
  const clock = openClock(() => undefined)
  clock.advanceTo(instant(SYSTEM.wall() + DAY))
  const script = `
    import { parentPort, workerData } from 'node:worker_threads'
    const { followClock } = await import(workerData.module)
    parentPort.postMessage(followClock(workerData.shared)())
  `
  const workerData = { shared: clock.shared, module: new URL('./clock.ts', import.meta.url).href }
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), { workerData })
  const before = clock.now()
  const there = await new Promise<number>((resolve, reject) => worker.once('message', resolve).once('error', reject))
  assert.ok(Math.abs(there - before) < 60_000)
})
