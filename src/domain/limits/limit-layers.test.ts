import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, millis, seconds } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import { LimitLayers } from './limit-layers.ts'
import { LimitTable } from './limit-table.ts'
import {
  ALGORITHMS,
  type Counter,
  counted,
  EACH,
  type LimitOwner,
  type LimitScope,
  NOTHING,
  type Rule,
  raises,
  type Tally,
  waitOf,
} from './limits.ts'

type Limit = Counter & Readonly<{ scope: LimitScope; updatedAt: ReturnType<typeof instant>; setBy: LimitOwner }>

const tenantId = 'north' as TenantId
const RULE: Rule = { limit: 3, window: seconds(60), algorithm: 'fixed' }
const limit = (setBy: LimitOwner, scope: LimitScope, key: string): Limit => ({
  ...{ tenantId, scope, key, setBy, rule: RULE, version: 1 },
  updatedAt: instant(7),
})

test('every layer counts by its own rule or default, whatever the other has', () => {
  const layers = new LimitLayers(() => new LimitTable<Limit>())
  layers.of('operator').set(limit('operator', 'account', EACH))
  layers.of('tenant').set(limit('tenant', 'account', 'shop'))
  layers.of('tenant').set(limit('tenant', 'user', '101'))
  const found = (scope: LimitScope, key: string) =>
    layers.counters([{ tenantId, scope, key }]).map(({ setBy, key: counter }) => [setBy, counter])
  assert.deepEqual(found('account', 'shop'), [
    ['operator', 'shop'],
    ['tenant', 'shop'],
  ])
  assert.deepEqual(found('account', 'desk'), [['operator', 'desk']])
  assert.deepEqual(found('user', '101'), [['tenant', '101']])
})

test('the scopes of a tenant are those of both layers', () => {
  const layers = new LimitLayers(() => new LimitTable<Limit>())
  assert.deepEqual(layers.scopes(tenantId), new Set())
  layers.of('tenant').set(limit('tenant', 'user', '101'))
  assert.deepEqual(layers.scopes(tenantId), new Set(['user']))
  layers.of('operator').set(limit('operator', 'account', EACH))
  assert.deepEqual(layers.scopes(tenantId), new Set(['account', 'user']))
  layers.of('tenant').remove(limit('tenant', 'user', '101'))
  assert.deepEqual(layers.scopes(tenantId), new Set(['account']))
})

const someRule = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  window: fc.integer({ min: 1, max: 20 }).map((count) => millis(count * 60)),
  algorithm: fc.constantFrom(...ALGORITHMS),
})

/** How many of these sends all rules admit, if only admitted ones count. */
function admittedBy(rules: readonly Rule[], at: readonly number[]): number {
  const tallies = new Map<Rule, Tally>(rules.map((rule) => [rule, NOTHING]))
  return at.filter((time) => {
    const now = instant(time)
    const isAdmitted = rules.every((rule) => waitOf(rule, tallies.get(rule) ?? NOTHING, now) === 0)
    if (isAdmitted) for (const rule of rules) tallies.set(rule, counted({ rule }, tallies.get(rule) ?? NOTHING, now))
    return isAdmitted
  }).length
}

test("whatever a tenant sets beside an operator's rule, no window holds more than the operator allows", () => {
  const times = fc
    .array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 60 })
    .map((all) => all.toSorted((a, b) => a - b))
  fc.assert(
    fc.property(someRule, someRule, times, (operators, own, at) => {
      const span = operators.window
      const [start = 0] = at
      const within = at.filter((time) => time < start + span)
      assert.ok(admittedBy([operators, own], within) <= operators.limit)
    }),
  )
})

test('a rule raises another if it is higher in one respect and lower in none', () => {
  const of = (count: number, window: number): Rule => ({ limit: count, window: seconds(window), algorithm: 'fixed' })
  assert.equal(raises(of(10, 60), of(10, 60)), false)
  assert.equal(raises(of(11, 60), of(10, 60)), true)
  assert.equal(raises(of(10, 59), of(10, 60)), true)
  assert.equal(raises(of(20, 120), of(10, 60)), true)
  assert.equal(raises(of(9, 60), of(10, 60)), false)
  assert.equal(raises(of(10, 61), of(10, 60)), false)
  assert.equal(raises(of(50, 3600), of(10, 60)), false)
  assert.equal(raises(of(5, 1), of(10, 60)), false)
  fc.assert(fc.property(someRule, someRule, (one, other) => !(raises(one, other) && raises(other, one))))
})
