import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, later, millis, seconds } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import { type CounterName, Counts, textOf } from './counts.ts'
import { type Counter, type Rule, usedOf } from './limits.ts'

const NOON = instant(1_749_999_600_000)

const counter = (key: string, rule: Partial<Rule> = {}): Counter => ({
  tenantId: 'north' as TenantId,
  scope: 'recipient',
  key,
  rule: { limit: 3, window: seconds(60), algorithm: 'fixed', ...rule },
  version: 1,
})

test('drops expired counters gradually, so memory stays bounded', () => {
  const counts = new Counts()
  let [at, largest] = [NOON, 0]
  // 100 distinct counters per second for ten minutes, of which 6,000 are in force.
  for (let n = 0; n < 60_000; n += 1) {
    at = later(at, millis(10))
    counts.take([counter(String(n))], at)
    largest = Math.max(largest, counts.size)
  }
  assert.ok(largest < 3 * 6_000, `${largest} counters`)
})

test('keeps counters that are still in force', () => {
  const counts = new Counts()
  const rare = counter('rare', { window: seconds(600) })
  counts.take([rare], NOON)
  for (let n = 0; n < 5_000; n += 1) counts.take([counter(String(n))], later(NOON, millis(n * 100)))
  assert.equal(counts.status(rare, later(NOON, seconds(599))).used, 1)
})

test('counts in all counters of a decision or in none', () => {
  const step = fc.record({
    keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }),
    pause: fc.nat(20_000),
    isGivenBack: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const counts = new Counts()
      let at = NOON
      for (const { keys, pause, isGivenBack } of steps) {
        at = later(at, millis(pause))
        const counters = keys.map((key) => counter(key))
        const usedNow = () => counters.map((one) => counts.status(one, at).used)
        const before = usedNow()
        const decision = counts.take(counters, at)
        const isTaken = before.every((used) => used < 3)
        assert.equal(decision.kind, isTaken ? 'taken' : 'limited')
        assert.deepEqual(usedNow(), isTaken ? before.map((used) => used + 1) : before)
        assert.deepEqual(
          decision.limits,
          counters.map((one) => counts.status(one, at)),
        )
        if (decision.kind === 'limited' || !isGivenBack) continue
        counts.giveBack(decision.slots)
        assert.deepEqual(usedNow(), before)
      }
    }),
    { numRuns: 200 },
  )
})

test('reports each change, and restores a counter elsewhere', () => {
  const changed: CounterName[] = []
  const counts = new Counts((name) => changed.push(name))
  const [one, other] = [counter('one'), counter('other')]
  const first = counts.take([one, other], NOON)
  assert.deepEqual(changed.map(textOf), [textOf(one), textOf(other)])
  assert.ok(first.kind === 'taken')
  counts.giveBack(first.slots.slice(1))
  assert.deepEqual(changed.map(textOf).slice(2), [textOf(other)])
  assert.equal(counts.find(other), undefined)
  const stored = counts.find(one)
  assert.ok(stored !== undefined)
  assert.deepEqual([usedOf(stored.tally), stored.endsAt], [1, later(NOON, seconds(60))])
  const elsewhere = new Counts()
  elsewhere.restore(stored)
  assert.deepEqual(elsewhere.status(one, NOON), counts.status(one, NOON))
})
