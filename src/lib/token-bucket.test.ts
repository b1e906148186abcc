import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, later, millis, seconds } from './time.ts'
import { TokenBuckets } from './token-bucket.ts'

const START = instant(1_000_000)

test('admits a burst, then the rate, each key on its own', () => {
  const buckets = new TokenBuckets<string>({ perSecond: 10, capacity: 3 })
  for (let taken = 0; taken < 3; taken += 1) {
    assert.equal(buckets.wait('a', START), 0)
    buckets.take('a', START)
  }
  assert.equal(buckets.wait('a', START), 100)
  assert.equal(buckets.wait('b', START), 0)
  assert.equal(buckets.wait('a', later(START, millis(99))), 1)
  assert.equal(buckets.wait('a', later(START, millis(100))), 0)
  assert.equal(buckets.level('a', later(START, seconds(60))), 3)
})

test('goes into debt no further than allowed', () => {
  const buckets = new TokenBuckets<string>({ perSecond: 250, capacity: 100, lowest: -1_000 })
  buckets.take('a', START, 150)
  assert.equal(buckets.level('a', START), -50)
  buckets.take('a', START, 99_999)
  assert.equal(buckets.level('a', START), -1_000)
  assert.equal(buckets.wait('a', START), 4_004)
  const none = new TokenBuckets<string>({ perSecond: 1, capacity: 2 })
  none.take('a', START, 9)
  assert.equal(none.level('a', START), 0)
})

test('tokens that are given back do not exceed the capacity', () => {
  const buckets = new TokenBuckets<string>({ perSecond: 1, capacity: 5 })
  buckets.take('a', START, 2)
  buckets.take('a', START, -1)
  assert.equal(buckets.level('a', START), 4)
  buckets.take('a', START, -10)
  assert.equal(buckets.level('a', START), 5)
})

test('a clock that was set back fills nothing and takes nothing', () => {
  const buckets = new TokenBuckets<string>({ perSecond: 1, capacity: 5 })
  buckets.take('a', START, 5)
  assert.equal(buckets.level('a', instant(START - 60_000)), 0)
})

test('in any time no more than the burst and the rate are admitted', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 200 })
  const rules = fc.record({ perSecond: fc.integer({ min: 1, max: 20 }), capacity: fc.integer({ min: 1, max: 20 }) })
  fc.assert(
    fc.property(rules, gaps, (rule, all) => {
      const buckets = new TokenBuckets<string>(rule)
      let [at, admitted] = [START, 0]
      for (const gap of all) {
        at = later(at, millis(gap))
        if (buckets.wait('a', at) > 0) continue
        buckets.take('a', at)
        admitted += 1
      }
      const most = rule.capacity + ((at - START) * rule.perSecond) / 1000
      assert.ok(admitted <= most + 1e-6, `${admitted} of at most ${most}`)
    }),
  )
})
