import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Pace } from './pace.ts'
import { type Instant, instant, millis, seconds } from './time.ts'

const START = 1_700_000_000_000
const at = (ms: number): Instant => instant(START + ms)

/** When parts are sent from `from` to `until` under constant demand, in milliseconds after the start. */
function goingOf(pace: Pace, from: number, until: number): readonly number[] {
  const times: number[] = []
  for (let now = from; now < until; ) {
    const wait = pace.admit(at(now))
    if (wait === 0) times.push(now)
    assert.ok(times.length < 1_000_000)
    now += wait
  }
  return times
}

const countOf = (...given: Parameters<typeof goingOf>): number => goingOf(...given).length

describe('a link with a rate', () => {
  test('sends a burst of a tenth of a second at once, and the rest evenly', () => {
    const times = goingOf(new Pace(100), 0, 1000)
    assert.deepEqual(times.slice(0, 10), Array(10).fill(0))
    assert.deepEqual(times.slice(10, 13), [10, 20, 30])
    assert.equal(times.length, 109)
  })

  test('sends one at a time at a low rate', () => {
    assert.deepEqual(goingOf(new Pace(2), 0, 2000), [0, 500, 1000, 1500])
    assert.deepEqual(goingOf(new Pace(0.5), 0, 5000), [0, 2000, 4000])
  })

  test('saves up no more than its burst', () => {
    const pace = new Pace(100)
    assert.equal(countOf(pace, 0, 1), 10)
    assert.equal(countOf(pace, 3_600_000, 3_600_001), 10)
  })

  test('returns how long the next part has to wait, without counting it', () => {
    const pace = new Pace(4)
    assert.equal(pace.admit(at(0)), 0)
    assert.equal(pace.admit(at(100)), 150)
    assert.equal(pace.admit(at(100)), 150)
    assert.equal(pace.admit(at(250)), 0)
  })

  test('sends a part in time however often it was asked before', () => {
    const pace = new Pace(100)
    assert.equal(countOf(pace, 0, 1), 10)
    const times = Array.from({ length: 30 }, (_, ms) => ms + 1).filter((ms) => pace.admit(at(ms)) === 0)
    assert.deepEqual(times, [10, 20, 30])
  })

  test('is not delayed by a clock that is set back', () => {
    const pace = new Pace(1)
    assert.equal(pace.admit(at(3_600_000)), 0)
    assert.equal(pace.admit(at(0)), 1000)
    assert.equal(pace.admit(at(1000)), 0)
    pace.throttle(at(3_600_000))
    assert.equal(pace.admit(at(0)), 1000)
    assert.equal(pace.admit(at(1000)), 0)
  })
})

describe('a throttled link', () => {
  test('pauses for a second, or for as long as requested', () => {
    const pace = new Pace(100)
    pace.throttle(at(0))
    assert.equal(pace.admit(at(400)), 600)
    assert.equal(pace.admit(at(1000)), 0)
    const asked = new Pace(100)
    asked.throttle(at(0), seconds(7))
    assert.equal(asked.admit(at(1000)), 6000)
    const hurried = new Pace(100)
    hurried.throttle(at(0), millis(1))
    assert.equal(hurried.admit(at(0)), 1000)
  })

  test('continues at half the rate, and regains a twentieth per second', () => {
    const pace = new Pace(100)
    pace.throttle(at(0))
    const bySecond = Array.from({ length: 13 }, (_, second) => countOf(pace, (second + 1) * 1000, (second + 2) * 1000))
    const expected = [50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 100, 100]
    for (const [second, parts] of bySecond.entries()) {
      // The burst grows as well, so a second has one part more than its rate.
      assert.ok(Math.abs(parts - (expected[second] ?? 0)) <= 2, `${bySecond}`)
    }
  })

  test('is halved once for all parts sent together', () => {
    const pace = new Pace(100)
    for (let ms = 0; ms < 500; ms += 10) pace.throttle(at(ms))
    assert.equal(pace.admit(at(490)), 1000)
    assert.ok(countOf(pace, 1490, 2490) >= 50)
  })

  test('is halved again when half was too much, down to one per second', () => {
    const pace = new Pace(8)
    for (const ms of [0, 1000, 2000, 3000, 4000]) pace.throttle(at(ms))
    assert.deepEqual(goingOf(pace, 5000, 6001), [5000, 6000])
  })

  test('with a rate below one per second does not become faster', () => {
    const pace = new Pace(0.5)
    pace.throttle(at(0))
    assert.deepEqual(goingOf(pace, 1000, 6000), [1000, 3000, 5000])
  })
})

describe('a link without a rate', () => {
  test('delays nothing', () => {
    const pace = new Pace(undefined)
    for (let part = 0; part < 10_000; part += 1) assert.equal(pace.admit(at(part % 7)), 0)
  })

  test('uses the rate of the last second as its target when throttled', () => {
    const pace = new Pace(undefined)
    for (let ms = 0; ms < 3000; ms += 5) pace.admit(at(ms))
    pace.throttle(at(3000))
    const parts = countOf(pace, 4000, 5000)
    assert.ok(parts >= 90 && parts <= 112, `${parts} of 200`)
  })

  test('is unlimited again when it has regained that rate', () => {
    const pace = new Pace(undefined)
    for (let ms = 0; ms < 1000; ms += 5) pace.admit(at(ms))
    pace.throttle(at(1000))
    assert.ok(countOf(pace, 11_000, 11_900) <= 220)
    assert.equal(countOf(pace, 11_900, 11_901) < 30, true)
    for (let part = 0; part < 1000; part += 1) assert.equal(pace.admit(at(13_000)), 0)
  })

  test('is unlimited soon when there was little to measure', () => {
    const pace = new Pace(undefined)
    pace.throttle(at(0))
    assert.equal(pace.admit(at(1000)), 0)
    assert.equal(pace.admit(at(1000)), 1000)
    for (let part = 0; part < 1000; part += 1) assert.equal(pace.admit(at(2000)), 0)
  })
})

type Step = Readonly<{ kind: 'ask'; times: number } | { kind: 'throttle' } | { kind: 'pass'; ms: number }>
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask'), times: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 0, max: 1500 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('throttle') }) },
)

/** The parts sent in these steps, by millisecond, and when the link was throttled. */
function play(
  rate: number,
  steps: readonly Step[],
): Readonly<{ went: readonly number[]; throttled: readonly number[] }> {
  const pace = new Pace(rate)
  const went: number[] = []
  const throttled: number[] = []
  let now = 0
  for (const step of steps) {
    switch (step.kind) {
      case 'ask':
        for (let time = 0; time < step.times; time += 1) if (pace.admit(at(now)) === 0) went.push(now)
        break
      case 'throttle':
        pace.throttle(at(now))
        throttled.push(now)
        break
      case 'pass':
        now += step.ms
    }
  }
  return { went, throttled }
}

describe('in any sequence of calls', () => {
  const anyPlay = fc.tuple(
    fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.constantFrom(0.5, 1.5, 7.3)),
    fc.array(anyStep, { maxLength: 60 }),
  )

  test('no second has more parts than the rate and the burst', () => {
    fc.assert(
      fc.property(anyPlay, ([rate, steps]) => {
        const { went } = play(rate, steps)
        const most = rate + Math.max(1, rate / 10)
        for (const [first, time] of went.entries()) {
          const next = went.findIndex((other) => other >= time + 1000)
          const inSecond = (next === -1 ? went.length : next) - first
          assert.ok(inSecond <= most + 1e-6, `${inSecond} of ${most}`)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('nothing is sent in the second after throttling', () => {
    fc.assert(
      fc.property(anyPlay, ([rate, steps]) => {
        const { went, throttled } = play(rate, steps)
        for (const pausedAt of throttled) assert.ok(!went.some((time) => time > pausedAt && time < pausedAt + 1000))
      }),
      { numRuns: 200 },
    )
  })

  test('a part that waits for the returned time is sent then', () => {
    fc.assert(
      fc.property(anyPlay, ([rate, steps]) => {
        const pace = new Pace(rate)
        let now = 0
        for (const step of steps) {
          if (step.kind === 'throttle') pace.throttle(at(now))
          const wait = pace.admit(at(now))
          now += wait
          if (wait > 0) assert.equal(pace.admit(at(now)), 0)
        }
      }),
      { numRuns: 200 },
    )
  })
})
