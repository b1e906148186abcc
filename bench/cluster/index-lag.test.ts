import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Look, toLag } from './index-lag.ts'

/** Samples that take a millisecond each. */
const looks = (...seen: readonly (readonly [at: number, position: number])[]): readonly Look[] =>
  seen.map(([begunAt, position]) => ({ begunAt, endedAt: begunAt + 1, position }))

test('the lag of an event is from when it was last missing in the log until it was first seen in the index', () => {
  const log = looks([0, 10], [100, 11], [200, 11])
  const index = looks([0, 10], [150, 10], [300, 11])
  const { latency, events } = toLag(log, index, 11)
  assert.equal(events, 1)
  assert.equal(latency.max, 301)
})

test('counts every event once, however many a sample finds', () => {
  const log = looks([0, 0], [10, 50], [20, 100])
  const index = looks([0, 0], [30, 60], [90, 100])
  const { latency, events, unshown } = toLag(log, index, 100)
  assert.deepEqual([events, unshown], [100, 0])
  // 1 to 50 were missing at 0 and seen at 31; 51 to 60 missing at 10; 61 to 100 missing at 10 and seen at 91.
  assert.ok(Math.abs(latency.mean - (50 * 31 + 10 * 21 + 40 * 81) / 100) < 0.01, `${latency.mean}`)
  assert.equal(latency.max, 81)
})

test('ignores events from before, and counts events that were never indexed separately', () => {
  const log = looks([0, 40], [10, 60])
  const { events, unshown } = toLag(log, looks([0, 10], [20, 50]), 60)
  assert.deepEqual([events, unshown], [10, 10])
  assert.deepEqual([toLag([], [], 0).events, toLag(log, [], 60).unshown], [0, 20])
})
