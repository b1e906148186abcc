import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import { UnparkPace } from './unpark-pace.ts'

/** Unparks every 250 ms, while at most `most(tick)` jobs are taken in between. */
function run(pace: UnparkPace, ticks: number, most: (tick: number) => number) {
  let [ready, largest] = [0, 0]
  const out: number[] = []
  for (let tick = 0; tick < ticks; tick += 1) {
    const portion = pace.portion(instant(tick * 250))
    pace.unparked(portion)
    out.push(portion)
    ready += portion
    largest = Math.max(largest, ready)
    const taken = Math.min(ready, most(tick))
    for (let nth = 0; nth < taken; nth += 1) pace.taken()
    ready -= taken
  }
  return { out, largest }
}

test('starts with a few jobs, grows with the rate of taking, and keeps one second of work ready', () => {
  const { out, largest } = run(new UnparkPace(8), 40, () => 250)
  assert.deepEqual(out.slice(0, 4), [8, 32, 128, 512])
  assert.equal(largest, 1_000)
  assert.ok(out.slice(-8).every((portion) => portion === 250))
})

test('unparks nothing more while nothing is taken', () => {
  const { out } = run(new UnparkPace(8), 12, () => 0)
  assert.deepEqual(out, [8, ...Array(11).fill(0)])
})

test('a slow worker keeps it at the first portion', () => {
  const { largest } = run(new UnparkPace(8), 100, () => 1)
  assert.equal(largest, 8)
})

test('does not wait for jobs that another process has taken', () => {
  const pace = new UnparkPace(8)
  pace.unparked(pace.portion(instant(0)))
  assert.equal(pace.portion(instant(5_000)), 0)
  assert.equal(pace.portion(instant(5_001)), 8)
})

test('has an upper limit, however fast jobs are taken', () => {
  const { largest } = run(new UnparkPace(8), 40, () => 100_000)
  assert.equal(largest, 5_000)
})
