import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  DEAD,
  delivered,
  hours,
  NOON,
  retryAt,
  someMessage,
  stateAfter,
  tenant,
  unknownUntil,
} from '../../ports/samples.contract.ts'
import { tenantIn } from '../access/test-mode.ts'
import type { Fact } from './events.ts'
import { CHANNELS } from './message.ts'
import { SILENCE_LIMIT } from './polling.ts'
import {
  isBounded,
  isOver,
  isPrunable,
  LOG_MARGIN,
  longestRetention,
  mostDaysOf,
  type RetentionPolicy,
  retentionOf,
} from './retention.ts'

const NORTH = tenant('north')
const SOUTH = tenant('south')
const days = (count: number): Millis => hours(24 * count)

describe('how long a message is kept', () => {
  test('is decided by the most specific rule', () => {
    const policy: RetentionPolicy = {
      days: 90,
      rules: [
        { channel: 'sms', days: 30 },
        { tenantId: NORTH, days: 7 },
        { tenantId: NORTH, channel: 'email', days: 365 },
      ],
    }
    assert.equal(retentionOf(policy, NORTH, 'email'), days(365))
    assert.equal(retentionOf(policy, NORTH, 'sms'), days(7))
    assert.equal(retentionOf(policy, SOUTH, 'sms'), days(30))
    assert.equal(retentionOf(policy, SOUTH, 'email'), days(90))
  })

  test('is forever without a rule and a default, and where a rule says 0 days', () => {
    assert.equal(retentionOf({ rules: [] }, NORTH, 'sms'), undefined)
    const policy = { days: 90, rules: [{ tenantId: NORTH, days: 0 }] }
    assert.equal(retentionOf(policy, NORTH, 'sms'), undefined)
    assert.equal(retentionOf(policy, SOUTH, 'sms'), days(90))
  })

  test('is shortened by the retention of a tenant, and never made longer', () => {
    const rules = [{ tenantId: SOUTH, channel: 'sms', days: 5 } as const]
    const policy: RetentionPolicy = { days: 90, rules, mostDays: new Map([NORTH, SOUTH].map((id) => [id, 30])) }
    assert.deepEqual([retentionOf(policy, NORTH, 'sms'), retentionOf(policy, SOUTH, 'email')], [days(30), days(30)])
    assert.equal(retentionOf(policy, SOUTH, 'sms'), days(5))
    assert.equal(retentionOf({ ...policy, mostDays: new Map([[NORTH, 365]]) }, NORTH, 'sms'), days(90))
    const forever: RetentionPolicy = { rules: [], mostDays: new Map([[NORTH, 30]]) }
    assert.deepEqual([retentionOf(forever, NORTH, 'sms'), retentionOf(forever, SOUTH, 'sms')], [days(30), undefined])
    assert.deepEqual([isBounded(forever), longestRetention(forever)], [true, undefined])
  })

  test('is the same for messages in test mode', () => {
    const policy: RetentionPolicy = { days: 90, rules: [{ tenantId: NORTH, days: 7 }] }
    assert.equal(retentionOf(policy, tenantIn('test', NORTH), 'sms'), days(7))
    const own = { rules: [], mostDays: new Map([[NORTH, 30]]) }
    assert.equal(retentionOf(own, tenantIn('test', NORTH), 'sms'), days(30))
  })

  test('has a longest time for a tenant by the rules, unless some of its messages are kept forever', () => {
    const rules = [{ tenantId: NORTH, days: 7 }, { channel: 'email', days: 365 } as const]
    assert.equal(mostDaysOf({ days: 90, rules }, NORTH), 7)
    assert.equal(mostDaysOf({ days: 90, rules }, SOUTH), 365)
    assert.equal(mostDaysOf({ rules }, SOUTH), undefined)
  })

  test('is bounded for all messages if every tenant and channel has a bound', () => {
    const longest = (policy: RetentionPolicy) => longestRetention(policy)
    assert.equal(longest({ days: 90, rules: [{ tenantId: NORTH, days: 400 }] }), days(400))
    assert.equal(longest({ rules: CHANNELS.map((channel) => ({ channel, days: 30 })) }), days(30))
    assert.equal(longest({ rules: [{ channel: 'sms', days: 30 }] }), undefined)
    assert.equal(longest({ days: 90, rules: [{ tenantId: NORTH, days: 0 }] }), undefined)
    assert.equal(longest({ rules: [] }), undefined)
    assert.deepEqual(
      [{ rules: [] }, { rules: [{ tenantId: NORTH, days: 0 }] }, { rules: [{ tenantId: NORTH, days: 3 }] }].map(
        isBounded,
      ),
      [false, false, true],
    )
  })

  test('never exceeds the longest retention', () => {
    const someDays = fc.integer({ min: 3, max: 400 })
    const rule = fc.record(
      { tenantId: fc.constantFrom(NORTH, SOUTH), channel: fc.constantFrom(...CHANNELS), days: someDays },
      { requiredKeys: ['days'] },
    )
    const property = fc.property(someDays, fc.array(rule), (byDefault, rules) => {
      const policy = { days: byDefault, rules }
      for (const tenantId of [NORTH, SOUTH, tenant('west')]) {
        for (const channel of CHANNELS) {
          const kept = retentionOf(policy, tenantId, channel)
          assert.ok(kept !== undefined && kept <= (longestRetention(policy) ?? 0))
        }
      }
    })
    fc.assert(property)
  })
})

describe('a message is over', () => {
  const GIVEN_UP = { kind: 'DeadLettered', code: 'OUTCOME_UNKNOWN', detail: 'nobody knows' } as const
  const TAKEN = { kind: 'HandoffAccepted', providerMessageId: 'SM1', by: 'answer' } as const
  const after = (...facts: readonly Fact[]) => stateAfter(someMessage(), facts)
  const AGES_LATER = later(NOON, days(1_000))

  for (const [name, facts] of [
    ['delivered', [ATTEMPTED, ACCEPTED, delivered()]],
    ['a dead letter', [ATTEMPTED, DEAD]],
    ['given up with an unknown outcome', [ATTEMPTED, { ...GIVEN_UP, outcome: 'unknown' }]],
    ['handed off to a provider without delivery reports', [ATTEMPTED, { ...TAKEN, noDeliveryReports: true }]],
  ] as const satisfies readonly (readonly [string, readonly Fact[]])[]) {
    test(`once it is ${name}`, () => assert.ok(isOver(after(...facts), AGES_LATER)))
  }

  for (const [name, facts] of [
    ['it is queued', []],
    ['an attempt is open', [ATTEMPTED]],
    ['it waits for a retry', [ATTEMPTED, retryAt(NOON)]],
    ['the outcome of an attempt is unknown', [ATTEMPTED, unknownUntil(NOON)]],
    ['it was sent again', [ATTEMPTED, ACCEPTED, delivered(), { kind: 'ResendRequested', by: 'resend' }]],
  ] as const satisfies readonly (readonly [string, readonly Fact[]])[]) {
    test(`never while ${name}`, () => assert.ok(!isOver(after(...facts), AGES_LATER)))
  }

  test('not while its provider is polled', () => {
    const sent = after(ATTEMPTED, ACCEPTED)
    assert.ok(!isOver(sent, later(sent.updatedAt, SILENCE_LIMIT)))
    assert.ok(!isOver(sent, later(sent.updatedAt, millis(SILENCE_LIMIT + days(1) - 1))))
    assert.ok(isOver(sent, later(sent.updatedAt, millis(SILENCE_LIMIT + days(1)))))
  })

  test('not within an hour of its last change', () => {
    const ended = after(ATTEMPTED, ACCEPTED, delivered())
    assert.ok(!isOver(ended, later(ended.updatedAt, seconds(3_599))))
    assert.ok(isOver(ended, later(ended.updatedAt, hours(1))))
  })
})

test('a message is no longer kept once it was created longer ago than its retention, and is over', () => {
  const policy = { days: 3, rules: [] }
  const ended = stateAfter(someMessage(), [ATTEMPTED, DEAD])
  const at = (age: Millis) => later(ended.createdAt, age)
  assert.ok(!isPrunable(policy, ended, at(days(3))))
  assert.ok(isPrunable(policy, ended, at(millis(days(3) + 1))))
  assert.ok(!isPrunable({ rules: [] }, ended, at(days(3_000))))
  assert.ok(!isPrunable(policy, stateAfter(someMessage(), [ATTEMPTED]), at(days(3_000))))
})

test('the log outlives a message that is held for as long as a route may say, and then polled', () => {
  assert.ok(LOG_MARGIN > days(30) + SILENCE_LIMIT + hours(1))
})
