import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, later, millis, seconds } from '../../lib/time.ts'
import { delayOf, FORGOTTEN_AFTER, OF_ADDRESS, remembered } from './sign-in-delay.ts'

const NOON = instant(1_000_000_000)

test('the first failures are free, then each doubles the wait up to the longest', () => {
  const delays = Array.from({ length: 13 }, (_, count) => delayOf({ count, lastAt: NOON }, OF_ADDRESS, NOON) / 1_000)
  assert.deepEqual(delays, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60])
  assert.equal(delayOf({ count: 5_000, lastAt: NOON }, OF_ADDRESS, NOON), 60_000)
})

test('the wait passes, and failures are forgotten', () => {
  const failures = { count: 8, lastAt: NOON }
  assert.equal(delayOf(failures, OF_ADDRESS, later(NOON, seconds(7))), 1_000)
  assert.equal(delayOf(failures, OF_ADDRESS, later(NOON, seconds(8))), 0)
  assert.deepEqual(remembered(failures, later(NOON, millis(FORGOTTEN_AFTER - 1))), failures)
  assert.equal(remembered(failures, later(NOON, FORGOTTEN_AFTER)), undefined)
  assert.equal(remembered(undefined, NOON), undefined)
})
