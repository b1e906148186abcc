import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import {
  type Counter,
  counted,
  current,
  endsAt,
  NOTHING,
  type Rule,
  startOf,
  type Tally,
  toLimitStatus,
  uncounted,
  usedOf,
  waitOf,
  waitOfAll,
} from './limits.ts'
import { specifiedWindow } from './window.fixture.ts'

const NOON = instant(1_749_999_600_000)
const FAST = { numRuns: 300 }

const ruleOf = (algorithm: fc.Arbitrary<Rule['algorithm']>): fc.Arbitrary<Rule> =>
  fc.record({
    limit: fc.integer({ min: 1, max: 8 }),
    window: fc.integer({ min: 1, max: 200_000 }).map(millis),
    algorithm,
  })
const fixed = ruleOf(fc.constant('fixed'))
const sliding = ruleOf(fc.constant('sliding'))
const any = ruleOf(fc.constantFrom('fixed', 'sliding'))

/** A rule and the times of sends, close enough together to reach the limit. */
const sends = (rule: fc.Arbitrary<Rule>) =>
  rule.chain((one) => fc.tuple(fc.constant(one), fc.array(pauses(one), { minLength: 1, maxLength: 60 }).map(toMoments)))
const pauses = ({ window }: Rule) => fc.integer({ min: 0, max: Math.ceil(window / 2) })
const toMoments = (between: readonly number[]): readonly Instant[] =>
  between.map((_, index) => later(NOON, millis(between.slice(0, index + 1).reduce((sum, pause) => sum + pause, 0))))

type Course = Readonly<{ tally: Tally; admitted: readonly Instant[] }>

/** Applies the sends one after the other. */
function run(rule: Rule, moments: readonly Instant[]): Course {
  return moments.reduce<Course>(
    ({ tally, admitted }, at) =>
      waitOf(rule, tally, at) > 0
        ? { tally, admitted }
        : { tally: counted({ rule }, tally, at), admitted: [...admitted, at] },
    { tally: NOTHING, admitted: [] },
  )
}

const check = <Value>(values: fc.Arbitrary<Value>, holds: (value: Value) => void): void =>
  fc.assert(fc.property(values, holds), FAST)

test('a sliding window never holds more than the limit, at any position', () => {
  check(sends(sliding), ([rule, moments]) => {
    const { admitted } = run(rule, moments)
    for (const start of admitted) {
      const end = later(start, rule.window)
      assert.ok(admitted.filter((at) => at >= start && at < end).length <= rule.limit)
    }
  })
})

test('a sliding window ignores sends older than the window plus one slice', () => {
  check(sends(sliding), ([rule, moments]) => {
    const reach = millis(rule.window + Math.ceil(rule.window / 60))
    const { admitted } = run(rule, moments)
    for (const at of moments.filter((one) => !admitted.includes(one))) {
      assert.ok(admitted.filter((one) => one <= at && later(one, reach) > at).length >= rule.limit)
    }
  })
})

test('S5-P3 where lastRefreshTime + timeWindow <= now, a send is admitted and starts a window with the count 1', () => {
  check(fc.tuple(sends(fixed), fc.nat(500_000)), ([[rule, moments], pause]) => {
    const windows = { rule, setAt: NOON }
    let tally = NOTHING
    for (const at of moments) if (waitOf(rule, tally, at) === 0) tally = counted(windows, tally, at)
    const [begin] = tally.at(-1) ?? assert.fail('the first is always admitted')
    const at = later(later(begin, rule.window), millis(pause))
    assert.equal(waitOf(rule, tally, at), 0)
    assert.deepEqual(counted(windows, tally, at), [[at, 1]])
  })
})

test('S5-P4 within a window a send is admitted if and only if currentCount < rateLimit', () => {
  check(sends(fixed), ([rule, moments]) => {
    const specified = specifiedWindow(rule, NOON)
    let tally = NOTHING
    for (const at of moments) {
      const isAdmitted = waitOf(rule, tally, at) === 0
      assert.equal(isAdmitted, specified.send(at))
      if (isAdmitted) tally = counted({ rule, setAt: NOON }, tally, at)
      const { lastRefreshTime, currentCount } = specified.state()
      assert.deepEqual(tally, [[lastRefreshTime, currentCount]])
    }
  })
})

test('a window in progress keeps its start, also one that an earlier release began with its first send', () => {
  check(fc.tuple(fixed, fc.nat(200_000), fc.nat(200_000)), ([rule, first, pause]) => {
    const begin = later(NOON, millis(first % rule.window))
    const at = later(begin, millis(pause % rule.window))
    assert.deepEqual(counted({ rule, setAt: NOON }, [[begin, 1]], at), [[begin, 2]])
  })
})

test('the wait is exact to the millisecond', () => {
  check(sends(any), ([rule, moments]) => {
    const { tally } = run(rule, moments)
    const at = moments.at(-1) ?? NOON
    const wait = waitOf(rule, tally, at)
    assert.equal(waitOf(rule, tally, later(at, wait)), 0)
    if (wait > 0) assert.equal(waitOf(rule, tally, later(at, millis(wait - 1))), 1)
  })
})

test('there is a wait exactly when the limit is used up, and each count adds one', () => {
  check(sends(any), ([rule, moments]) => {
    let tally = NOTHING
    for (const at of moments) {
      const used = usedOf(current(rule, tally, at))
      assert.equal(waitOf(rule, tally, at) > 0, used >= rule.limit)
      if (used >= rule.limit) continue
      tally = counted({ rule }, tally, at)
      assert.equal(usedOf(tally), used + 1)
    }
  })
})

test('a limit status has the used count and the time until it decreases', () => {
  check(sends(any), ([rule, moments]) => {
    const counter = counterOf(rule)
    const { tally } = run(rule, moments)
    const at = moments.at(-1) ?? NOON
    const { used, resetsIn } = toLimitStatus(counter, tally, at)
    assert.equal(used, usedOf(current(rule, tally, at)))
    const usedIn = (by: number) => toLimitStatus(counter, tally, later(at, millis(by))).used
    assert.equal(usedIn(resetsIn - 1), used)
    assert.ok(usedIn(resetsIn) < used)
  })
  assert.deepEqual(toLimitStatus(counterOf(SIMPLE), NOTHING, NOON), {
    counter: counterOf(SIMPLE),
    used: 0,
    resetsIn: 0,
  })
})

test('a clock that goes back admits nobody sooner', () => {
  check(fc.tuple(sends(any), fc.nat(400_000)), ([[rule, moments], back]) => {
    const { tally } = run(rule, moments)
    const at = moments.at(-1) ?? NOON
    const before = later(at, millis(-back))
    const [wait, waitBefore] = [waitOf(rule, tally, at), waitOf(rule, tally, before)]
    assert.ok(usedOf(current(rule, tally, before)) >= usedOf(current(rule, tally, at)))
    if (wait > 0) assert.equal(later(before, waitBefore), later(at, wait))
  })
})

test('a tally stays short and ordered when the clock jumps', () => {
  const moments = fc.array(
    fc.integer({ min: -500_000, max: 500_000 }).map((by) => later(NOON, millis(by))),
    { maxLength: 80 },
  )
  check(fc.tuple(any, moments), ([rule, ats]) => {
    let tally = NOTHING
    for (const at of ats) {
      tally = counted({ rule }, tally, at)
      const starts = tally.map(([start]) => start)
      assert.deepEqual(
        starts,
        [...new Set(starts)].toSorted((one, other) => one - other),
      )
      if (rule.algorithm === 'fixed') assert.equal(tally.length, 1)
      assert.ok(tally.every(([, count]) => count > 0))
    }
  })
})

test('a sliding tally has at most 62 slices', () => {
  check(fc.tuple(sliding, fc.array(fc.nat(10_000), { maxLength: 300 })), ([rule, between]) => {
    let tally = NOTHING
    for (const at of toMoments(between)) tally = counted({ rule }, tally, at)
    assert.ok(tally.length <= 62, `${tally.length} slices`)
  })
})

test('giving back restores the tally, unless its slice has expired', () => {
  check(sends(any), ([rule, moments]) => {
    const { tally } = run(rule, moments.slice(0, -1))
    const at = moments.at(-1) ?? NOON
    const start = startOf({ rule }, tally, at)
    assert.deepEqual(uncounted(counted({ rule }, tally, at), start), current(rule, tally, at))
    const muchLater = later(at, millis(rule.window * 3))
    const anew = counted({ rule }, tally, muchLater)
    assert.deepEqual(uncounted(anew, start), anew)
  })
})

test('a tally ends exactly when nothing in it counts any more', () => {
  check(sends(any), ([rule, moments]) => {
    const { tally } = run(rule, moments)
    const end = endsAt(rule, tally) ?? assert.fail('something was counted')
    assert.deepEqual(current(rule, tally, end), NOTHING)
    assert.notDeepEqual(current(rule, tally, later(end, millis(-1))), NOTHING)
  })
  assert.equal(endsAt(SIMPLE, NOTHING), undefined)
})

test('several counters wait for the longest', () => {
  check(fc.array(sends(any), { maxLength: 4 }), (several) => {
    const tallies = several.map(([rule, moments]) => ({ counter: counterOf(rule), tally: run(rule, moments).tally }))
    const waits: readonly Millis[] = tallies.map(({ counter, tally }) => waitOf(counter.rule, tally, NOON))
    assert.equal(waitOfAll(tallies, NOON), Math.max(0, ...waits))
  })
})

const SIMPLE: Rule = { limit: 1, window: seconds(60), algorithm: 'fixed' }

const counterOf = (rule: Rule): Counter => ({
  tenantId: 'north' as TenantId,
  scope: 'tenant',
  key: 'north',
  rule,
  version: 1,
})
