import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, millis, seconds } from '../../lib/time.ts'
import { CHANNELS } from '../message/message.ts'
import { type AfterFailure, afterFailure, LONGEST_ADVICE, RETRY, type RetryPolicy } from './retry.ts'

const roll = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const moment = fc.nat({ max: 2_000_000_000_000 }).map(instant)
const NONE = millis(0)

/** The delay before the next attempt. */
function waitOf(after: AfterFailure, endedAt: number): number {
  assert.ok(after.kind === 'retry', after.kind)
  return after.at - endedAt
}

test('S1-P10 after attempt n an SMS waits min(2^n, 60) seconds, without jitter', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), moment, roll, (attempts, endedAt, roll) => {
      const after = afterFailure({ attempts, endedAt, retryAfter: NONE }, RETRY.sms, roll)
      assert.equal(waitOf(after, endedAt), Math.min(2 ** attempts, 60) * 1000)
    }),
  )
})

test('S1-P10 a route with more attempts continues with min(2^n, 60) seconds', () => {
  const patient = { ...RETRY.sms, maxAttempts: 1_000 }
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999 }), moment, roll, (attempts, endedAt, roll) => {
      const after = afterFailure({ attempts, endedAt, retryAfter: NONE }, patient, roll)
      assert.equal(waitOf(after, endedAt), Math.min(2 ** attempts, 60) * 1000)
    }),
  )
})

test('S1-P10 five failed attempts are the maximum on every channel', () => {
  const attempts = fc.integer({ min: 1, max: 50 })
  fc.assert(
    fc.property(fc.constantFrom(...CHANNELS), attempts, moment, roll, (channel, attempts, endedAt, roll) => {
      const after = afterFailure({ attempts, endedAt, retryAfter: NONE }, RETRY[channel], roll)
      assert.equal(after.kind, attempts < 5 ? 'retry' : 'exhausted')
    }),
  )
})

test('S4-JITTER after attempt n an email waits 1 s, 5 s, 30 s, 2 min, 10 min, plus or minus a quarter', () => {
  const patient = { ...RETRY.email, maxAttempts: 6 }
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), moment, roll, (attempts, endedAt, roll) => {
      const base = [1_000, 5_000, 30_000, 120_000, 600_000][attempts - 1] ?? 0
      const wait = waitOf(afterFailure({ attempts, endedAt, retryAfter: NONE }, patient, roll), endedAt)
      assert.ok(wait >= base * 0.75 && wait <= base * 1.25, `${wait} ms after attempt ${attempts}`)
    }),
    { numRuns: 500 },
  )
})

test('S4-JITTER the jitter covers the whole range', () => {
  const waits = [0, 0.5, 0.999_999].map((roll) =>
    waitOf(afterFailure({ attempts: 3, endedAt: instant(0), retryAfter: NONE }, RETRY.email, roll), 0),
  )
  assert.deepEqual(waits, [22_500, 30_000, 37_500])
})

test('honours a Retry-After that is longer than the delay, and not a shorter one', () => {
  const retryAfter = fc.nat({ max: 100_000 }).map(millis)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), retryAfter, (attempts, retryAfter) => {
      const after = afterFailure({ attempts, endedAt: instant(0), retryAfter }, RETRY.sms, 0)
      assert.equal(waitOf(after, 0), Math.max(2 ** attempts * 1000, retryAfter))
    }),
  )
})

test('caps a Retry-After at one hour, unless the policy itself waits longer', () => {
  const retryAfter = seconds(999_999_999)
  const wait = (policy: RetryPolicy): number =>
    waitOf(afterFailure({ attempts: 1, endedAt: instant(0), retryAfter }, policy, 0), 0)
  assert.equal(wait(RETRY.sms), LONGEST_ADVICE)
  assert.equal(wait({ ...RETRY.sms, delays: [seconds(7_200)] }), seconds(7_200))
})

test('ignores a Retry-After beyond the deadline', () => {
  const failure = { attempts: 1, endedAt: instant(0), retryAfter: seconds(600), expiresAt: instant(300_000) }
  const after = afterFailure(failure, RETRY.sms, 0)
  assert.deepEqual(after, { kind: 'retry', at: instant(2_000), isAdvised: true })
  const late = afterFailure({ ...failure, expiresAt: instant(2_000) }, RETRY.sms, 0)
  assert.deepEqual(late, { kind: 'expired', isAdvised: true })
})

test('schedules no retry at or after the deadline', () => {
  const failure = { attempts: 1, endedAt: instant(0), retryAfter: NONE }
  const after = (expiresAt: number): AfterFailure =>
    afterFailure({ ...failure, expiresAt: instant(expiresAt) }, RETRY.sms, 0)
  assert.equal(after(1_999).kind, 'expired')
  assert.equal(after(2_000).kind, 'expired')
  assert.equal(waitOf(after(2_001), 0), 2_000)
})

test('the last attempt is dead-lettered even if the message expires before the next would be due', () => {
  const failure = { attempts: 5, endedAt: instant(0), retryAfter: NONE, expiresAt: instant(1) }
  assert.deepEqual(afterFailure(failure, RETRY.sms, 0), { kind: 'exhausted' })
})

test('a policy without delays retries at once', () => {
  const policy: RetryPolicy = { delays: [], maxAttempts: 3, jitter: 0.25 }
  const after = afterFailure({ attempts: 1, endedAt: instant(7), retryAfter: NONE }, policy, 0.9)
  assert.equal(waitOf(after, 7), 0)
})

test('the last delay of a policy repeats', () => {
  const policy: RetryPolicy = { delays: [seconds(1), seconds(3)], maxAttempts: 10, jitter: 0 }
  const waits = [1, 2, 3, 9].map((attempts) =>
    waitOf(afterFailure({ attempts, endedAt: instant(0), retryAfter: NONE }, policy, 0), 0),
  )
  assert.deepEqual(waits, [1_000, 3_000, 3_000, 3_000])
})
