import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPollDue, isSilentTooLong, nextPoll, SILENCE_LIMIT } from './polling.ts'
import { instant, later, millis, seconds } from './time.ts'

const SINCE = instant(1_000_000)
const after = (wait: number) => later(SINCE, seconds(wait))

test('a silent provider is asked after 30 s, then 2 min, 10 min, 30 min, 2 h, and every 2 h from then on', () => {
  const asked = [SINCE]
  for (let turn = 0; turn < 8; turn += 1) asked.push(nextPoll(SINCE, asked.at(-1) ?? SINCE))
  const waits = asked.slice(1).map((at, turn) => (at - (asked[turn] ?? 0)) / 1000)
  assert.deepEqual(waits, [30, 120, 600, 1800, 7200, 7200, 7200, 7200])
})

test('the next time to ask is always ahead, and at most two hours', () => {
  const moment = fc.nat({ max: 10 * 24 * 3600 * 1000 })
  fc.assert(
    fc.property(moment, (elapsed) => {
      const now = later(SINCE, millis(elapsed))
      const next = nextPoll(SINCE, now)
      assert.ok(next > now && next <= later(now, seconds(7200)))
    }),
  )
})

test('a poll is due when one of its times fell after the last look', () => {
  assert.equal(isPollDue(SINCE, SINCE, after(29)), false)
  assert.equal(isPollDue(SINCE, SINCE, after(30)), true)
  assert.equal(isPollDue(SINCE, after(30), after(149)), false)
  assert.equal(isPollDue(SINCE, after(30), after(150)), true)
})

test('a provider is silent too long after three days, or the limit given', () => {
  assert.equal(SILENCE_LIMIT, 72 * 3600 * 1000)
  assert.equal(isSilentTooLong(SINCE, later(SINCE, millis(SILENCE_LIMIT - 1))), false)
  assert.equal(isSilentTooLong(SINCE, later(SINCE, SILENCE_LIMIT)), true)
  assert.equal(isSilentTooLong(SINCE, after(5), seconds(5)), true)
  assert.equal(isSilentTooLong(SINCE, after(5), seconds(6)), false)
})
