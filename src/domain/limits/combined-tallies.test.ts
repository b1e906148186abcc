import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, millis } from '../../lib/time.ts'
import { combined } from './combined-tallies.ts'
import { counted, NOTHING, type Rule, type Tally, usedOf } from './limits.ts'

const FIXED: Rule = { limit: 10, window: millis(600), algorithm: 'fixed' }
const SLIDING: Rule = { ...FIXED, algorithm: 'sliding' }
const tally = (...slices: [number, number][]): Tally => slices.map(([start, count]) => [instant(start), count])

test('adds the counts of the same slice', () => {
  for (const rule of [FIXED, SLIDING]) {
    assert.deepEqual(combined(rule, tally([1000, 2]), tally([1000, 3])), tally([1000, 5]))
    assert.deepEqual(combined(rule, NOTHING, tally([1000, 3])), tally([1000, 3]))
  }
})

test('merges overlapping fixed windows into one that ends with the later, and keeps others apart', () => {
  assert.deepEqual(combined(FIXED, tally([1000, 2]), tally([1599, 3])), tally([1599, 5]))
  assert.deepEqual(combined(FIXED, tally([1599, 2]), tally([1000, 3])), tally([1599, 5]))
  assert.deepEqual(combined(FIXED, tally([1000, 2]), tally([1600, 3])), tally([1000, 2], [1600, 3]))
  assert.deepEqual(combined(SLIDING, tally([1000, 2]), tally([1010, 3])), tally([1000, 2], [1010, 3]))
})

test('subtracts an undone count from its slice, and never goes below zero', () => {
  assert.deepEqual(combined(SLIDING, tally([1000, 2], [1010, 1]), tally([1010, -1])), tally([1000, 2]))
  assert.deepEqual(combined(FIXED, tally([1200, 2]), tally([1000, -1])), tally([1200, 1]))
  assert.deepEqual(combined(FIXED, tally([1600, 2]), tally([1000, -1])), tally([1600, 2]))
})

test('counts split over two places combine to the count of one place', () => {
  const sends = fc.array(fc.tuple(fc.boolean(), fc.nat(300)), { maxLength: 40 })
  const property = fc.property(fc.constantFrom(FIXED, SLIDING), sends, (rule, steps) => {
    let [here, there, whole, at] = [NOTHING, NOTHING, NOTHING, instant(10_000)]
    for (const [isHere, pause] of steps) {
      at = instant(at + (rule === SLIDING ? Math.min(pause, 10) : 0))
      whole = counted({ rule }, whole, at)
      if (isHere) here = counted({ rule }, here, at)
      else there = counted({ rule }, there, at)
    }
    assert.deepEqual(combined(rule, here, there), whole)
    assert.equal(usedOf(whole), steps.length)
  })
  fc.assert(property, { numRuns: 200 })
})
