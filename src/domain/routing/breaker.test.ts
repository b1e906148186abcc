/** The breaker under a virtual clock. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { SendOutcome } from '../message/outcome.ts'
import {
  afterCall,
  BREAKER,
  type Breaker,
  type BreakerCall,
  CLOSED,
  FREE,
  type Permission,
  type Permit,
  permissionOf,
  toBreakerState,
  type Verdict,
  verdictOf,
} from './breaker.ts'

const NOON = instant(1_750_000_000_000)

const after = (breaker: Breaker, ...calls: readonly BreakerCall[]): Breaker =>
  calls.reduce((state, call) => afterCall(state, call, BREAKER), breaker)
const result = (verdict: Verdict, at: Instant = NOON, permit: Permit = FREE): BreakerCall => ({
  kind: 'result',
  permit,
  verdict,
  at,
})
const failures = (count: number): readonly BreakerCall[] => Array.from({ length: count }, () => result('failed'))
const OPEN = after(CLOSED, ...failures(BREAKER.failures))
const DUE = later(NOON, BREAKER.pause)

/** The permission, and the breaker after the request. */
function ask(breaker: Breaker, at: Instant): Readonly<{ permission: Permission; breaker: Breaker }> {
  return { permission: permissionOf(breaker, at, BREAKER), breaker: after(breaker, { kind: 'try', at }) }
}

const other = fc.constantFrom<Verdict>('answered', 'not_called')
const failed = fc.constant<Verdict>('failed')
const moment = fc.nat({ max: 3_600_000 }).map((ms) => later(NOON, millis(ms)))

test('S1-P12 five consecutive failures open it, and fewer never do, however many in total', () => {
  const run = fc.nat({ max: BREAKER.failures - 1 })
  fc.assert(
    fc.property(fc.array(run, { maxLength: 30, size: 'max' }), moment, (runs, at) => {
      const patchy = after(CLOSED, ...runs.flatMap((count) => [...failures(count), result('answered')]))
      assert.deepEqual(patchy, CLOSED)
      const nearly = after(patchy, ...failures(BREAKER.failures - 1))
      assert.deepEqual(permissionOf(nearly, at, BREAKER), FREE)
      const open = after(nearly, result('failed', at))
      const retryAt = later(at, seconds(30))
      assert.deepEqual(open, { kind: 'open', failures: 5, openedAt: at, retryAt })
    }),
    { numRuns: 200 },
  )
})

test('S1-P12 while it is open all calls are held for thirty seconds, whatever the results of late calls', () => {
  const late = fc.tuple(fc.constantFrom<Verdict>('answered', 'failed', 'not_called'), fc.nat({ max: 29_999 }))
  fc.assert(
    fc.property(fc.array(late, { maxLength: 20 }), fc.nat({ max: 29_999 }), (results, wait) => {
      const calls = results.map(([verdict, ms]) => result(verdict, later(NOON, millis(ms))))
      const open = after(OPEN, ...calls)
      assert.equal(open, OPEN)
      const { permission, breaker } = ask(open, later(NOON, millis(wait)))
      assert.deepEqual([permission, breaker], [{ kind: 'held', until: DUE }, OPEN])
    }),
    { numRuns: 200 },
  )
})

test('S1-P12 after thirty seconds one call gets the trial, until its lease ends', () => {
  const waits = fc.array(fc.nat({ max: BREAKER.lease - 1 }), { maxLength: 50, size: 'max' })
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), waits, (wait, others) => {
      const first = later(DUE, millis(wait))
      const trial = ask(OPEN, first)
      assert.deepEqual(trial.permission, { kind: 'trial', at: first })
      for (const ms of others) {
        const { permission, breaker } = ask(trial.breaker, later(first, millis(ms)))
        assert.deepEqual([permission.kind, breaker], ['held', trial.breaker])
      }
    }),
    { numRuns: 200 },
  )
})

test('S1-P12 a trial that is answered closes it, and one that fails opens it for another thirty seconds', () => {
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), fc.nat({ max: 59_999 }), fc.nat({ max: 5 }), (wait, took, before) => {
      let breaker = OPEN
      let at = later(DUE, millis(wait))
      for (let n = 0; n < before; n += 1) {
        const ended = later(at, millis(took))
        breaker = after(breaker, { kind: 'try', at }, result('failed', ended, { kind: 'trial', at }))
        const retryAt = later(ended, seconds(30))
        assert.deepEqual(breaker, { kind: 'open', failures: 6 + n, openedAt: NOON, retryAt })
        at = retryAt
      }
      const trial = after(breaker, { kind: 'try', at })
      assert.equal(after(trial, result('answered', later(at, millis(took)), { kind: 'trial', at })), CLOSED)
    }),
    { numRuns: 200 },
  )
})

test('S1-P12 there is never a second trial within the lease of the first, under any order of calls', () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('ask' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(), verdict: other }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(), verdict: failed }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 20_000 }) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
      let [breaker, now] = [CLOSED, NOON]
      const calls: Permit[] = []
      for (const step of steps) {
        if (step.kind === 'pass') now = later(now, millis(step.ms))
        else if (step.kind === 'ask') {
          const asked = ask(breaker, now)
          const underWay = calls.filter((call) => call.kind === 'trial' && later(call.at, BREAKER.lease) > now)
          assert.equal(asked.permission.kind !== 'trial' || underWay.length === 0, true)
          if (asked.permission.kind !== 'held') calls.push(asked.permission)
          else assert.ok(asked.permission.until > now)
          breaker = asked.breaker
        } else {
          const [permit] = calls.splice(step.which % Math.max(calls.length, 1), 1)
          if (permit !== undefined) breaker = after(breaker, result(step.verdict, now, permit))
        }
        assert.ok(breaker.kind !== 'closed' || breaker.failures < BREAKER.failures)
      }
    }),
    { numRuns: 500 },
  )
})

test('a trial without a result is lost after its lease, and its late result is ignored', () => {
  const first = after(OPEN, { kind: 'try', at: DUE })
  const lost = later(DUE, BREAKER.lease)
  assert.deepEqual(permissionOf(first, later(DUE, millis(59_999)), BREAKER), { kind: 'held', until: lost })
  assert.deepEqual(permissionOf(first, lost, BREAKER), { kind: 'trial', at: lost })
  const second = after(first, { kind: 'try', at: lost })
  assert.equal(after(second, result('answered', lost, { kind: 'trial', at: DUE })), second)
  assert.equal(after(second, result('answered', lost, { kind: 'trial', at: lost })), CLOSED)
})

test('during a trial calls are held briefly, since it may end long before its lease', () => {
  const trial = after(OPEN, { kind: 'try', at: DUE })
  assert.deepEqual(permissionOf(trial, DUE, BREAKER), { kind: 'held', until: later(DUE, seconds(2)) })
})

test('a trial that was not called leaves the trial to the next request', () => {
  const trial = after(OPEN, { kind: 'try', at: DUE })
  const at = later(DUE, millis(7))
  const unmade = after(trial, result('not_called', at, { kind: 'trial', at: DUE }))
  assert.deepEqual(unmade, { kind: 'open', failures: 5, openedAt: NOON, retryAt: at })
  assert.deepEqual(permissionOf(unmade, at, BREAKER), { kind: 'trial', at })
})

test('S1-P12 deferred and unknown outcomes are failures, rejections are responses', () => {
  const reason = { code: 'X', detail: '' }
  const outcomes: readonly (readonly [SendOutcome, Verdict])[] = [
    [{ kind: 'accepted', providerMessageId: '' }, 'answered'],
    [{ kind: 'rejected', blame: 'message', ...reason }, 'answered'],
    [{ kind: 'rejected', blame: 'provider', ...reason }, 'answered'],
    [{ kind: 'deferred', retryAfter: millis(0), ...reason }, 'failed'],
    [{ kind: 'deferred', ...reason, retryAfter: millis(0), blame: 'recipient' }, 'answered'],
    [{ kind: 'unknown', ...reason }, 'failed'],
  ]
  for (const [outcome, verdict] of outcomes) assert.equal(verdictOf(outcome), verdict)
})

const force = (to: 'open' | 'closed', at: Instant, pause?: Millis): BreakerCall => ({
  kind: 'force',
  to,
  at,
  ...omitUndefined({ pause }),
})

test('manual opening holds calls for the usual or the given pause in any state, followed by a trial', () => {
  for (const breaker of [CLOSED, after(CLOSED, ...failures(2)), OPEN, after(OPEN, { kind: 'try', at: DUE })]) {
    const at = later(DUE, millis(5))
    const openedAt = breaker.kind === 'closed' ? at : NOON
    const opened = { kind: 'open', failures: breaker.failures, openedAt, pausedAt: at } as const
    assert.deepEqual(after(breaker, force('open', at)), { ...opened, retryAt: later(at, BREAKER.pause) })
    const forced = after(breaker, force('open', at, seconds(600)))
    const due = later(at, seconds(600))
    assert.deepEqual(forced, { ...opened, retryAt: due })
    assert.equal(after(forced, result('answered', due), result('failed', due)), forced)
    assert.equal(after(forced, result('answered', due, { kind: 'trial', at: DUE })), forced)
    const trial = after(forced, { kind: 'try', at: due })
    assert.equal(after(trial, result('answered', due, { kind: 'trial', at: due })), CLOSED)
  }
})

test('a breaker is paused until its trial, whatever comes of that', () => {
  const paused = after(CLOSED, force('open', NOON, seconds(600)))
  const due = later(NOON, seconds(600))
  const trial = after(paused, { kind: 'try', at: due })
  assert.deepEqual(trial, {
    kind: 'half_open',
    failures: 0,
    openedAt: NOON,
    trialAt: due,
    retryAt: later(due, seconds(60)),
  })
  for (const verdict of ['answered', 'failed', 'not_called'] as const)
    assert.ok(!('pausedAt' in after(trial, result(verdict, due, { kind: 'trial', at: due }))), verdict)
  assert.ok(!('pausedAt' in OPEN))
})

test('manual closing resets the failures in any state', () => {
  for (const breaker of [CLOSED, after(CLOSED, ...failures(4)), OPEN, after(OPEN, { kind: 'try', at: DUE })]) {
    assert.equal(after(breaker, force('closed', DUE)), CLOSED)
  }
})

test('returns the same object when nothing changes', () => {
  const two = after(CLOSED, ...failures(2))
  assert.equal(after(CLOSED, result('answered'), result('not_called'), { kind: 'try', at: NOON }), CLOSED)
  assert.equal(after(two, result('not_called')), two)
})

test('an open breaker whose pause is over shows as half open', () => {
  assert.equal(toBreakerState(CLOSED, NOON), 'closed')
  assert.equal(toBreakerState(OPEN, later(NOON, millis(29_999))), 'open')
  assert.equal(toBreakerState(OPEN, DUE), 'half_open')
  assert.equal(toBreakerState(after(OPEN, { kind: 'try', at: DUE }), DUE), 'half_open')
})
