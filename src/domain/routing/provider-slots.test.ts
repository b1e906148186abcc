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

/** Enters so often, at one moment; those sent away are told apart by when they may come back. */
const crowd = (slots: ProviderSlots, count: number, now = START): Slot[] =>
  Array.from({ length: count }, () => slots.enter(ONE, fresh('transactional', now), now))
const isSlot = (entry: Slot): boolean => entry.kind === 'slot'
const turnsOf = (entries: readonly Slot[]): Instant[] =>
  entries.flatMap((entry) => (entry.kind === 'full' ? [entry.until] : []))

test('a provider has so many slots and no more, whatever others have', () => {
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

test('a slot that is left is free again', () => {
  const slots = new ProviderSlots({ size: 1 })
  const entry = slots.enter(ONE, fresh(), START)
  assert.ok(entry.kind === 'slot')
  entry.leave()
  assert.deepEqual([...slots.calls()], [[ONE, 0]])
  assert.ok(isSlot(slots.enter(ONE, fresh(), at(50))))
})

test('codes find a slot where others find none, and so does what was sent away before where the new does not', () => {
  const slots = new ProviderSlots({ size: 8, kept: 1 })
  const enter = (lane: Lane, since: Instant): boolean => isSlot(slots.enter(ONE, { lane, since }, at(1_000)))
  const news = Array.from({ length: 8 }, () => enter('bulk', at(900)))
  assert.equal(news.filter(Boolean).length, 6)
  assert.deepEqual([enter('bulk', START), enter('transactional', START)], [true, false])
  assert.deepEqual([enter('otp', at(1_000)), enter('otp', at(1_000))], [true, false])
})

test('whoever is sent away comes back a little later, a few at a time', () => {
  const slots = new ProviderSlots({ size: 64, soonest: millis(250) })
  assert.ok(crowd(slots, 64).every(isSlot))
  const turns = turnsOf(crowd(slots, 1_000, at(10)))
  assert.equal(turns[0], at(300))
  // Calls are taken to last for 32 ms at least, so that of 64 slots two come free in a millisecond: four look for them.
  assert.ok(turns.every((turn, nth) => turn >= (turns[nth - 1] ?? START)))
  assert.equal(turns.at(-1), at(550))
  assert.equal(turns.filter((turn) => turn === at(400)).length, 200)
})

test('the longer calls hang the less is looked for slots, down to 400 times a second', () => {
  for (const size of [16, 64, 512]) {
    const slots = new ProviderSlots({ size })
    crowd(slots, size)
    const turns = turnsOf(crowd(slots, 4_000, at(20_000)))
    const span = (turns.at(-1) ?? START) - (turns[0] ?? START)
    assert.equal(Math.round(span / 1000), 10)
  }
})

test('however many are sent away, each looks again within half a minute', () => {
  const slots = new ProviderSlots({ size: 4 })
  crowd(slots, 4)
  const turns = turnsOf(crowd(slots, 100_000, at(60_000)))
  assert.ok(turns.every((turn) => turn >= at(60_250) && turn <= at(60_250 + 30_050)))
  const inOneSecond = turns.filter((turn) => turn > at(70_000) && turn <= at(71_000)).length
  assert.ok(inOneSecond < 3_700, `${inOneSecond} in one second`)
})

test('how often somebody found no slot is counted, at each provider and together', () => {
  const slots = new ProviderSlots({ size: 1 })
  crowd(slots, 3)
  for (const _ of [1, 2]) slots.enter(TWO, fresh(), START)
  slots.refuse(TWO, START)
  assert.deepEqual([slots.refused(ONE), slots.refused(TWO), slots.refused()], [2, 2, 4])
})

test('there are never more calls under way at a provider than it has slots, whoever comes and goes in which order', () => {
  const step = fc.record({
    provider: fc.constantFrom(ONE, TWO),
    lane: fc.constantFrom(...LANES),
    waited: fc.nat({ max: 1_000 }),
    passes: fc.nat({ max: 40 }),
    leaves: fc.option(fc.nat(), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (size, steps) => {
      const kept = Math.floor(size / 8)
      const slots = new ProviderSlots({ size, kept })
      const held: { provider: ProviderName; leave: () => void }[] = []
      let now = START
      for (const { provider, lane, waited, passes, leaves } of steps) {
        now = later(now, millis(passes))
        if (leaves !== undefined && held.length > 0) held.splice(leaves % held.length, 1)[0]?.leave()
        const entry = slots.enter(provider, { lane, since: later(now, millis(-waited)) }, now)
        const mine = held.filter((call) => call.provider === provider).length
        if (entry.kind === 'slot') held.push({ provider, leave: entry.leave })
        else assert.ok(mine >= size - 2 * kept && entry.until > now && entry.until <= later(now, seconds(31)))
        for (const [name, calls] of slots.calls()) {
          assert.equal(calls, held.filter((call) => call.provider === name).length)
          assert.ok(calls <= size)
        }
      }
      for (const { leave } of held) leave()
      assert.ok([...slots.calls()].every(([, calls]) => calls === 0))
    }),
    { numRuns: 300 },
  )
})
