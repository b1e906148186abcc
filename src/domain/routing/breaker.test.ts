/** The breaker under a virtual clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
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
const tell = (verdict: Verdict, at: Instant = NOON, pass: Permit = FREE): BreakerCall => ({
  kind: 'tell',
  pass,
  verdict,
  at,
})
const failures = (count: number): readonly BreakerCall[] => Array.from({ length: count }, () => tell('failed'))
const OPEN = after(CLOSED, ...failures(BREAKER.failures))
const DUE = later(NOON, BREAKER.pause)

/** What somebody gets who asks, and the breaker after it. */
function ask(breaker: Breaker, at: Instant): Readonly<{ leave: Permission; breaker: Breaker }> {
  return { leave: permissionOf(breaker, at, BREAKER), breaker: after(breaker, { kind: 'try', at }) }
}

const other = fc.constantFrom<Verdict>('answered', 'not_called')
const failed = fc.constant<Verdict>('failed')
const moment = fc.nat({ max: 3_600_000 }).map((ms) => later(NOON, millis(ms)))

test('S1-P12 five failures in a row open it, and fewer never do, however many there are in all', () => {
  const run = fc.nat({ max: BREAKER.failures - 1 })
  fc.assert(
    fc.property(fc.array(run, { maxLength: 30, size: 'max' }), moment, (runs, at) => {
      const patchy = after(CLOSED, ...runs.flatMap((count) => [...failures(count), tell('answered')]))
      assert.deepEqual(patchy, CLOSED)
      const nearly = after(patchy, ...failures(BREAKER.failures - 1))
      assert.deepEqual(permissionOf(nearly, at, BREAKER), FREE)
      const open = after(nearly, tell('failed', at))
      const retryAt = later(at, seconds(30))
      assert.deepEqual(open, { kind: 'open', failures: 5, openedAt: at, retryAt })
    }),
    { numRuns: 200 },
  )
})

test('S1-P12 while it is open everybody is held until thirty seconds are over, whatever late calls tell', () => {
  const late = fc.tuple(fc.constantFrom<Verdict>('answered', 'failed', 'not_called'), fc.nat({ max: 29_999 }))
  fc.assert(
    fc.property(fc.array(late, { maxLength: 20 }), fc.nat({ max: 29_999 }), (told, wait) => {
      const calls = told.map(([verdict, ms]) => tell(verdict, later(NOON, millis(ms))))
      const open = after(OPEN, ...calls)
      assert.equal(open, OPEN)
      const { leave, breaker } = ask(open, later(NOON, millis(wait)))
      assert.deepEqual([leave, breaker], [{ kind: 'held', until: DUE }, OPEN])
    }),
    { numRuns: 200 },
  )
})

test('S1-P12 after thirty seconds one of all who ask is the trial, until its lease is over', () => {
  const waits = fc.array(fc.nat({ max: BREAKER.lease - 1 }), { maxLength: 50, size: 'max' })
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), waits, (wait, others) => {
      const first = later(DUE, millis(wait))
      const trial = ask(OPEN, first)
      assert.deepEqual(trial.leave, { kind: 'trial', at: first })
      for (const ms of others) {
        const { leave, breaker } = ask(trial.breaker, later(first, millis(ms)))
        assert.deepEqual([leave.kind, breaker], ['held', trial.breaker])
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
        breaker = after(breaker, { kind: 'try', at }, tell('failed', ended, { kind: 'trial', at }))
        const retryAt = later(ended, seconds(30))
        assert.deepEqual(breaker, { kind: 'open', failures: 6 + n, openedAt: NOON, retryAt })
        at = retryAt
      }
      const trial = after(breaker, { kind: 'try', at })
      assert.equal(after(trial, tell('answered', later(at, millis(took)), { kind: 'trial', at })), CLOSED)
    }),
    { numRuns: 200 },
  )
})

test('S1-P12 in whatever order calls begin and end, there is never a second trial within the lease of the first', () => {
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
          assert.equal(asked.leave.kind !== 'trial' || underWay.length === 0, true)
          if (asked.leave.kind !== 'held') calls.push(asked.leave)
          else assert.ok(asked.leave.until > now)
          breaker = asked.breaker
        } else {
          const [pass] = calls.splice(step.which % Math.max(calls.length, 1), 1)
          if (pass !== undefined) breaker = after(breaker, tell(step.verdict, now, pass))
        }
        assert.ok(breaker.kind !== 'closed' || breaker.failures < BREAKER.failures)
      }
    }),
    { numRuns: 500 },
  )
})

test('a trial nobody hears of again is lost after its lease, and what it tells then counts no more', () => {
  const first = after(OPEN, { kind: 'try', at: DUE })
  const lost = later(DUE, BREAKER.lease)
  assert.deepEqual(permissionOf(first, later(DUE, millis(59_999)), BREAKER), { kind: 'held', until: lost })
  assert.deepEqual(permissionOf(first, lost, BREAKER), { kind: 'trial', at: lost })
  const second = after(first, { kind: 'try', at: lost })
  assert.equal(after(second, tell('answered', lost, { kind: 'trial', at: DUE })), second)
  assert.equal(after(second, tell('answered', lost, { kind: 'trial', at: lost })), CLOSED)
})

test('whoever asks during a trial asks again soon, for it may be over long before its lease', () => {
  const trial = after(OPEN, { kind: 'try', at: DUE })
  assert.deepEqual(permissionOf(trial, DUE, BREAKER), { kind: 'held', until: later(DUE, seconds(2)) })
})

test('a trial that was not made leaves it to the next who asks', () => {
  const trial = after(OPEN, { kind: 'try', at: DUE })
  const at = later(DUE, millis(7))
  const unmade = after(trial, tell('not_called', at, { kind: 'trial', at: DUE }))
  assert.deepEqual(unmade, { kind: 'open', failures: 5, openedAt: NOON, retryAt: at })
  assert.deepEqual(permissionOf(unmade, at, BREAKER), { kind: 'trial', at })
})

test('S1-P12 what is deferred or unknown is a failure; what is rejected is an answer, whomever it blames', () => {
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
  ...(pause === undefined ? {} : { pause }),
})

test('a person opens it for the usual pause or another, whatever it is, and then one call tries it out', () => {
  for (const breaker of [CLOSED, after(CLOSED, ...failures(2)), OPEN, after(OPEN, { kind: 'try', at: DUE })]) {
    const at = later(DUE, millis(5))
    const openedAt = breaker.kind === 'closed' ? at : NOON
    const opened = { kind: 'open', failures: breaker.failures, openedAt } as const
    assert.deepEqual(after(breaker, force('open', at)), { ...opened, retryAt: later(at, BREAKER.pause) })
    const forced = after(breaker, force('open', at, seconds(600)))
    const due = later(at, seconds(600))
    assert.deepEqual(forced, { ...opened, retryAt: due })
    assert.equal(after(forced, tell('answered', due), tell('failed', due)), forced)
    assert.equal(after(forced, tell('answered', due, { kind: 'trial', at: DUE })), forced)
    const trial = after(forced, { kind: 'try', at: due })
    assert.equal(after(trial, tell('answered', due, { kind: 'trial', at: due })), CLOSED)
  }
})

test('a person closes it, whatever it is, and its failures are forgotten', () => {
  for (const breaker of [CLOSED, after(CLOSED, ...failures(4)), OPEN, after(OPEN, { kind: 'try', at: DUE })]) {
    assert.equal(after(breaker, force('closed', DUE)), CLOSED)
  }
})

test('what changes nothing makes no new breaker', () => {
  const two = after(CLOSED, ...failures(2))
  assert.equal(after(CLOSED, tell('answered'), tell('not_called'), { kind: 'try', at: NOON }), CLOSED)
  assert.equal(after(two, tell('not_called')), two)
})

test('an open breaker whose pause is over is shown half open, though nobody has asked', () => {
  assert.equal(toBreakerState(CLOSED, NOON), 'closed')
  assert.equal(toBreakerState(OPEN, later(NOON, millis(29_999))), 'open')
  assert.equal(toBreakerState(OPEN, DUE), 'half_open')
  assert.equal(toBreakerState(after(OPEN, { kind: 'try', at: DUE }), DUE), 'half_open')
})
