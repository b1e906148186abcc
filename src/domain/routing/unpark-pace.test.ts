import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import { UnparkPace } from './unpark-pace.ts'

/** Lets out what it may every quarter of a second, of which so many are taken by the next time. */
function run(drain: UnparkPace, ticks: number, most: (tick: number) => number) {
  let [ready, largest] = [0, 0]
  const out: number[] = []
  for (let tick = 0; tick < ticks; tick += 1) {
    const portion = drain.portion(instant(tick * 250))
    drain.unparked(portion)
    out.push(portion)
    ready += portion
    largest = Math.max(largest, ready)
    const taken = Math.min(ready, most(tick))
    for (let nth = 0; nth < taken; nth += 1) drain.taken()
    ready -= taken
  }
  return { out, largest }
}

test('it begins with a few, grows as fast as they are taken, and keeps a second of work ahead', () => {
  const { out, largest } = run(new UnparkPace(8), 40, () => 250)
  assert.deepEqual(out.slice(0, 4), [8, 32, 128, 512])
  assert.equal(largest, 1_000)
  assert.ok(out.slice(-8).every((portion) => portion === 250))
})

test('nothing more is let out while nothing is taken', () => {
  const { out } = run(new UnparkPace(8), 12, () => 0)
  assert.deepEqual(out, [8, ...Array(11).fill(0)])
})

test('a slow taker keeps it at the first few', () => {
  const { largest } = run(new UnparkPace(8), 100, () => 1)
  assert.equal(largest, 8)
})

test('what others have taken is not waited for', () => {
  const drain = new UnparkPace(8)
  drain.unparked(drain.portion(instant(0)))
  assert.equal(drain.portion(instant(5_000)), 0)
  assert.equal(drain.portion(instant(5_001)), 8)
})

test('there is a most, however fast they are taken', () => {
  const { largest } = run(new UnparkPace(8), 40, () => 100_000)
  assert.equal(largest, 5_000)
})
