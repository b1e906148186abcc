import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Instant, instant, later, millis, seconds } from '../../lib/time.ts'
import { isSilentTooLong, nextPoll, SILENCE_LIMIT, type Stretch, toStretches } from './polling.ts'

const SINCE = instant(1_000_000)
const LATELY = instant(Date.parse('2030-01-31T12:00:00Z'))
const after = (wait: number) => later(SINCE, seconds(wait))

test('polls after 30 s, 2 min, 10 min, 30 min and 2 h, then every 2 h', () => {
  const asked = [SINCE]
  for (let round = 0; round < 8; round += 1) asked.push(nextPoll(SINCE, asked.at(-1) ?? SINCE))
  const waits = asked.slice(1).map((at, index) => (at - (asked[index] ?? 0)) / 1000)
  assert.deepEqual(waits, [30, 120, 600, 1800, 7200, 7200, 7200, 7200])
})

test('the next poll is always in the future, at most two hours ahead', () => {
  const moment = fc.nat({ max: 10 * 24 * 3600 * 1000 })
  fc.assert(
    fc.property(moment, (elapsed) => {
      const now = later(SINCE, millis(elapsed))
      const next = nextPoll(SINCE, now)
      assert.ok(next > now && next <= later(now, seconds(7200)))
    }),
  )
})

const isIn = (since: Instant, { after, through }: Stretch): boolean => since > after && since <= through
/** The number of stretches of this round that contain the instant. */
const due = (since: Instant, lastLook: Instant, now: Instant): number =>
  toStretches(lastLook, now).filter((stretch) => isIn(since, stretch)).length

test('a poll is due when one of its times is after the last round', () => {
  assert.equal(due(SINCE, SINCE, after(29)), 0)
  assert.equal(due(SINCE, SINCE, after(30)), 1)
  assert.equal(due(SINCE, after(30), after(149)), 0)
  assert.equal(due(SINCE, after(30), after(150)), 1)
})

test('the stretches of a round contain exactly what became due in it, once', () => {
  const soon = fc.nat({ max: 20_000 })
  const ages = fc.oneof(soon, fc.nat({ max: SILENCE_LIMIT }))
  const spans = fc.oneof(soon, fc.nat({ max: 12 * 3_600_000 }), fc.nat({ max: 10 * 24 * 3_600_000 }))
  fc.assert(
    fc.property(ages, spans, (age, span) => {
      const lastLook = later(LATELY, millis(age))
      const now = later(lastLook, millis(span))
      assert.equal(due(LATELY, lastLook, now), nextPoll(LATELY, lastLook) <= now ? 1 : 0)
    }),
    { numRuns: 2_000 },
  )
})

test('a round after days has one stretch for everything silent for 30 s, and one for what is to be given up', () => {
  const lastLook = later(LATELY, seconds(-2 * 24 * 3600))
  const [stretch, missed, ...others] = toStretches(lastLook, LATELY)
  assert.equal(stretch?.through, later(LATELY, seconds(-30)))
  assert.deepEqual([missed?.through, others], [stretch.after, []])
})

test('an overdue give-up is retried every two hours', () => {
  const forgotten = later(LATELY, seconds(-30 * 24 * 3600))
  let taken = 0
  for (let passed = 0; passed < 8 * 3600; passed += 5) {
    taken += due(forgotten, later(LATELY, seconds(passed)), later(LATELY, seconds(passed + 5)))
  }
  assert.equal(taken, 4)
})

test('a provider is silent too long after three days, or after the given limit', () => {
  assert.equal(SILENCE_LIMIT, 72 * 3600 * 1000)
  assert.equal(isSilentTooLong(SINCE, later(SINCE, millis(SILENCE_LIMIT - 1))), false)
  assert.equal(isSilentTooLong(SINCE, later(SINCE, SILENCE_LIMIT)), true)
  assert.equal(isSilentTooLong(SINCE, after(5), seconds(5)), true)
  assert.equal(isSilentTooLong(SINCE, after(5), seconds(6)), false)
})
