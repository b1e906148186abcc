import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, millis, seconds } from '../../lib/time.ts'
import { LONGEST_FAILING, nextTry, toFailureClass, toVerdict } from './retry-schedule.ts'

const NOON = instant(1_749_999_600_000)
const NONE = millis(0)
const HOUR = 3600
const WAITS = [5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
const roll = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const answered = (status: number, retryAfter = NONE) => ({ kind: 'answered', status, retryAfter }) as const

/** The wait in seconds; undefined when it is given up. */
function waitOf(failures: number, roll: number, retryAfter = NONE): number | undefined {
  const next = nextTry({ failures, at: NOON, retryAfter }, roll)
  return next === undefined ? undefined : (next - NOON) / 1000
}

test('ten tries are made, with longer and longer waits between them', () => {
  assert.deepEqual(
    WAITS.map((_, n) => waitOf(n + 1, 0.5)),
    WAITS,
  )
  for (const failures of [10, 11, 1_000]) assert.equal(waitOf(failures, 0.5), undefined)
})

test('a wait is a fifth shorter or longer at most, and the dice decide', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), roll, (failures, roll) => {
      const [wait = 0, usual = 0] = [waitOf(failures, roll), WAITS[failures - 1]]
      assert.ok(wait >= 0.8 * usual - 0.001 && wait <= 1.2 * usual + 0.001, `${wait} for ${usual}`)
    }),
  )
  assert.deepEqual([waitOf(1, 0), waitOf(1, 0.75)], [4, 5.5])
})

test('an endpoint may ask for a longer wait, of a day at most, and never for a shorter one', () => {
  assert.equal(waitOf(1, 0.5, seconds(60)), 60)
  assert.equal(waitOf(3, 0.5, seconds(60)), 1_800)
  assert.equal(waitOf(1, 0.5, seconds(30 * 24 * HOUR)), 24 * HOUR)
  assert.equal(waitOf(10, 0.5, seconds(60)), undefined)
})

test('only an answer of 2xx is a yes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
      const { kind } = toVerdict(answered(status))
      assert.equal(kind, status >= 200 && status <= 299 ? 'delivered' : status === 410 ? 'gone' : 'failed')
    }),
  )
})

test('what was not a yes says what was answered, or why nothing was', () => {
  assert.deepEqual(toVerdict(answered(302)), {
    kind: 'failed',
    status: 302,
    error: 'responded with 302',
    retryAfter: NONE,
  })
  assert.deepEqual(toVerdict(answered(410)), { kind: 'gone', status: 410, error: 'responded with 410' })
  const wish = toVerdict(answered(503, seconds(7)))
  assert.equal(wish.kind === 'failed' && wish.retryAfter, seconds(7))
  for (const kind of ['refused', 'unreachable'] as const) {
    assert.deepEqual(toVerdict({ kind, reason: 'so it is' }), { kind: 'failed', error: 'so it is', retryAfter: NONE })
  }
})

test('failures are told apart by the class of the answer, or by why there was none', () => {
  assert.deepEqual(
    [302, 404, 503].map((status) => toFailureClass(answered(status))),
    ['3xx', '4xx', '5xx'],
  )
  assert.equal(toFailureClass({ kind: 'refused', reason: 'so it is' }), 'refused')
  assert.equal(toFailureClass({ kind: 'unreachable', reason: 'so it is' }), 'unreachable')
})

test('an endpoint is given up on for good only after all waits for one event are over', () => {
  assert.equal(LONGEST_FAILING, seconds(5 * 24 * HOUR))
  const longest = WAITS.reduce((sum, wait) => sum + wait, 0) * 1.2
  assert.ok(seconds(longest) < LONGEST_FAILING)
})
