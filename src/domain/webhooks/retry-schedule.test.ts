import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, millis, seconds } from '../../lib/time.ts'
import { NO_BODY } from './kept-text.ts'
import { LONGEST_FAILING, nextTry, toFailureClass, toVerdict } from './retry-schedule.ts'

const NOON = instant(1_749_999_600_000)
const NONE = millis(0)
const HOUR = 3600
const WAITS = [5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
const roll = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const answered = (status: number, retryAfter = NONE) =>
  ({ kind: 'answered', status, retryAfter, headers: {}, body: NO_BODY }) as const

/** The delay in seconds; undefined when the delivery is given up. */
function waitOf(failures: number, roll: number, retryAfter = NONE): number | undefined {
  const next = nextTry({ failures, at: NOON, retryAfter }, roll)
  return next === undefined ? undefined : (next - NOON) / 1000
}

test('makes ten attempts with growing delays', () => {
  assert.deepEqual(
    WAITS.map((_, n) => waitOf(n + 1, 0.5)),
    WAITS,
  )
  for (const failures of [10, 11, 1_000]) assert.equal(waitOf(failures, 0.5), undefined)
})

test('adds a jitter of at most a fifth', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), roll, (failures, roll) => {
      const [wait = 0, usual = 0] = [waitOf(failures, roll), WAITS[failures - 1]]
      assert.ok(wait >= 0.8 * usual - 0.001 && wait <= 1.2 * usual + 0.001, `${wait} for ${usual}`)
    }),
  )
  assert.deepEqual([waitOf(1, 0), waitOf(1, 0.75)], [4, 5.5])
})

test('honours a longer Retry-After of at most a day, and not a shorter one', () => {
  assert.equal(waitOf(1, 0.5, seconds(60)), 60)
  assert.equal(waitOf(3, 0.5, seconds(60)), 1_800)
  assert.equal(waitOf(1, 0.5, seconds(30 * 24 * HOUR)), 24 * HOUR)
  assert.equal(waitOf(10, 0.5, seconds(60)), undefined)
})

test('only a 2xx response is a success', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
      const { kind } = toVerdict(answered(status))
      assert.equal(kind, status >= 200 && status <= 299 ? 'delivered' : status === 410 ? 'gone' : 'failed')
    }),
  )
})

test('a failure has the status, or the reason for no response', () => {
  assert.deepEqual(toVerdict(answered(302)), {
    kind: 'failed',
    status: 302,
    error: 'responded with 302',
    retryAfter: NONE,
  })
  assert.deepEqual(toVerdict(answered(410)), { kind: 'gone', status: 410, error: 'responded with 410' })
  const busy = toVerdict(answered(503, seconds(7)))
  assert.equal(busy.kind === 'failed' && busy.retryAfter, seconds(7))
  for (const kind of ['refused', 'unreachable'] as const) {
    assert.deepEqual(toVerdict({ kind, reason: 'timeout' }), { kind: 'failed', error: 'timeout', retryAfter: NONE })
  }
})

test('classifies failures by status class, or by the reason for no response', () => {
  assert.deepEqual(
    [302, 404, 503].map((status) => toFailureClass(answered(status))),
    ['3xx', '4xx', '5xx'],
  )
  assert.equal(toFailureClass({ kind: 'refused', reason: 'so it is' }), 'refused')
  assert.equal(toFailureClass({ kind: 'unreachable', reason: 'so it is' }), 'unreachable')
})

test('an endpoint is disabled only after all retries of one event are over', () => {
  assert.equal(LONGEST_FAILING, seconds(5 * 24 * HOUR))
  const longest = WAITS.reduce((sum, wait) => sum + wait, 0) * 1.2
  assert.ok(seconds(longest) < LONGEST_FAILING)
})
