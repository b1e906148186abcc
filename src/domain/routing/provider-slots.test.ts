import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { START } from '../../flows/gateway.fixture.ts'
import { type Instant, later, millis, seconds } from '../../lib/time.ts'
import type { ProviderName } from '../ids.ts'
import { LANES, type Lane } from '../message/message.ts'
import { ProviderSlots, type Slot } from './provider-slots.ts'

const ONE = 'one' as ProviderName
const TWO = 'two' as ProviderName
const at = (ms: number): Instant => later(START, millis(ms))
const fresh = (lane: Lane = 'transactional', now = START) => ({ lane, since: now })

/** Enters `count` times at one instant. */
const crowd = (slots: ProviderSlots, count: number, now = START): Slot[] =>
  Array.from({ length: count }, () => slots.enter(ONE, fresh('transactional', now), now))
const isSlot = (entry: Slot): boolean => entry.kind === 'slot'
const retryTimes = (entries: readonly Slot[]): Instant[] =>
  entries.flatMap((entry) => (entry.kind === 'full' ? [entry.until] : []))

test('limits the calls per provider, independently of other providers', () => {
  const slots = new ProviderSlots({ size: 2 })
  assert.deepEqual(crowd(slots, 3).map(isSlot), [true, true, false])
  assert.ok(isSlot(slots.enter(TWO, fresh(), START)))
  assert.deepEqual(
    [...slots.calls()],
    [
      [ONE, 2],
      [TWO, 1],
    ],
  )
})

test('a released slot is free again', () => {
  const slots = new ProviderSlots({ size: 1 })
  const entry = slots.enter(ONE, fresh(), START)
  assert.ok(entry.kind === 'slot')
  entry.release()
  assert.deepEqual([...slots.calls()], [[ONE, 0]])
  assert.ok(isSlot(slots.enter(ONE, fresh(), at(50))))
})

test('reserves slots for one-time codes, and for messages that were refused before', () => {
  const slots = new ProviderSlots({ size: 8, reserved: 1 })
  const enter = (lane: Lane, since: Instant): boolean => isSlot(slots.enter(ONE, { lane, since }, at(1_000)))
  const entered = Array.from({ length: 8 }, () => enter('bulk', at(900)))
  assert.equal(entered.filter(Boolean).length, 6)
  assert.deepEqual([enter('bulk', START), enter('transactional', START)], [true, false])
  assert.deepEqual([enter('otp', at(1_000)), enter('otp', at(1_000))], [true, false])
})

test('refused messages come back a little later, a few at a time', () => {
  const slots = new ProviderSlots({ size: 64, soonest: millis(250) })
  assert.ok(crowd(slots, 64).every(isSlot))
  const retries = retryTimes(crowd(slots, 1_000, at(10)))
  assert.equal(retries[0], at(300))
  // Calls are assumed to last at least 32 ms, so two of 64 slots become free per millisecond, and four messages come back.
  assert.ok(retries.every((retry, nth) => retry >= (retries[nth - 1] ?? START)))
  assert.equal(retries.at(-1), at(550))
  assert.equal(retries.filter((retry) => retry === at(400)).length, 200)
})

test('the longer calls take the fewer messages come back, down to 400 per second', () => {
  for (const size of [16, 64, 512]) {
    const slots = new ProviderSlots({ size })
    crowd(slots, size)
    const retries = retryTimes(crowd(slots, 4_000, at(20_000)))
    const span = (retries.at(-1) ?? START) - (retries[0] ?? START)
    assert.equal(Math.round(span / 1000), 10)
  }
})

test('every refused message comes back within half a minute', () => {
  const slots = new ProviderSlots({ size: 4 })
  crowd(slots, 4)
  const retries = retryTimes(crowd(slots, 100_000, at(60_000)))
  assert.ok(retries.every((retry) => retry >= at(60_250) && retry <= at(60_250 + 30_050)))
  const inOneSecond = retries.filter((retry) => retry > at(70_000) && retry <= at(71_000)).length
  assert.ok(inOneSecond < 3_700, `${inOneSecond} in one second`)
})

test('counts refusals per provider and in total', () => {
  const slots = new ProviderSlots({ size: 1 })
  crowd(slots, 3)
  for (const _ of [1, 2]) slots.enter(TWO, fresh(), START)
  slots.refuse(TWO, START)
  assert.deepEqual([slots.refused(ONE), slots.refused(TWO), slots.refused()], [2, 2, 4])
})

test('the calls to a provider never exceed its slots, under any order of entries and releases', () => {
  const step = fc.record({
    provider: fc.constantFrom(ONE, TWO),
    lane: fc.constantFrom(...LANES),
    waited: fc.nat({ max: 1_000 }),
    passes: fc.nat({ max: 40 }),
    releases: fc.option(fc.nat(), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (size, steps) => {
      const reserved = Math.floor(size / 8)
      const slots = new ProviderSlots({ size, reserved })
      const held: { provider: ProviderName; release: () => void }[] = []
      let now = START
      for (const { provider, lane, waited, passes, releases } of steps) {
        now = later(now, millis(passes))
        if (releases !== undefined && held.length > 0) held.splice(releases % held.length, 1)[0]?.release()
        const entry = slots.enter(provider, { lane, since: later(now, millis(-waited)) }, now)
        const mine = held.filter((call) => call.provider === provider).length
        if (entry.kind === 'slot') held.push({ provider, release: entry.release })
        else assert.ok(mine >= size - 2 * reserved && entry.until > now && entry.until <= later(now, seconds(31)))
        for (const [name, calls] of slots.calls()) {
          assert.equal(calls, held.filter((call) => call.provider === name).length)
          assert.ok(calls <= size)
        }
      }
      for (const { release } of held) release()
      assert.ok([...slots.calls()].every(([, calls]) => calls === 0))
    }),
    { numRuns: 300 },
  )
})
