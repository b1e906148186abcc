import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newRedisPrefix, shareRedis } from '../../../test/support/redis-server.ts'
import {
  type Counter,
  counted,
  NOTHING,
  startOf,
  type Tally,
  toLimitStatus,
  uncounted,
  waitOfAll,
} from '../../domain/limits/limits.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, later, millis, seconds } from '../../lib/time.ts'
import { someCounter } from '../../ports/limiter-samples.contract.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { openLimiterAt } from './limiter.fixture.ts'
import type { Taken } from './limiter.ts'

const server = await shareRedis()
const openLimiter = () => openLimiterAt(NOON, server.url, newRedisPrefix())

const RULE = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  window: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(60_000, 31_536_000_000)).map(millis),
  algorithm: fc.constantFrom('fixed' as const, 'sliding' as const),
})
/** How long before the first step each was set, if that is known. */
const COUNTER = fc
  .tuple(RULE, fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }))
  .map(([rule, ago]) => omitUndefined({ ...someCounter(rule), setAt: ago === undefined ? ago : instant(NOON - ago) }))

/** A pause before it, which counters it names, and whether it turns out not to count. */
const STEP = fc.record({
  pause: fc.oneof(fc.integer({ min: -20, max: 120 }), fc.constantFrom(0, 1_000, 60_000)),
  mask: fc.integer({ min: 1, max: 7 }),
  repeats: fc.boolean(),
})

test('the script decides, counts and reports as the domain does', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const scene = fc.record({
    counters: fc.array(COUNTER, { minLength: 3, maxLength: 3 }),
    steps: fc.array(STEP, { minLength: 1, maxLength: 25 }),
  })
  const property = fc.asyncProperty(scene, async ({ counters, steps }) => {
    world.at = NOON
    const tallies = new Map<Counter, Tally>()
    const tallyOf = (counter: Counter): Tally => tallies.get(counter) ?? NOTHING
    for (const { pause, mask, repeats } of steps) {
      world.at = instant(world.at + pause)
      const { at } = world
      const named = counters.filter((_, nth) => (mask & (1 << nth)) > 0)
      const retryAfter = waitOfAll(
        named.map((counter) => ({ counter, tally: tallyOf(counter) })),
        at,
      )
      const decision = await limiter.decide(named)
      assert.equal(decision.kind, retryAfter > 0 ? 'full' : 'taken')
      const starts = named.map((counter) => startOf(counter, tallyOf(counter), at))
      if (decision.kind === 'full') assert.equal(decision.retryAfter, retryAfter)
      else for (const counter of named) tallies.set(counter, counted(counter, tallyOf(counter), at))
      const statuses = () => named.map((counter) => toLimitStatus(counter, tallyOf(counter), at))
      assert.deepEqual(decision.statuses, statuses())
      if (decision.kind === 'full' || !repeats) continue

      assert.deepEqual(
        decision.taken.map(({ start }) => start),
        starts,
      )
      for (const [nth, counter] of named.entries()) {
        tallies.set(counter, uncounted(tallyOf(counter), starts[nth] ?? at))
      }
      assert.deepEqual(await limiter.giveBack(decision.taken), statuses())
      assert.deepEqual(await limiter.statuses(named), statuses())
    }
  })
  await fc.assert(property, { numRuns: 300 })
})

test('S5-P10 a changed limit counts from zero, whatever Redis remembers of the old one', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const limits = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 4 })
  const property = fc.asyncProperty(limits, fc.constantFrom('fixed', 'sliding'), async (changes, algorithm) => {
    const counter = { ...someCounter({ algorithm }), key: crypto.randomUUID() }
    for (const [version, limit] of changes.entries()) {
      const changed = { ...counter, version, rule: { ...counter.rule, limit } }
      world.loads = 0
      for (let nth = 1; nth <= limit; nth += 1) assert.equal((await limiter.decide([changed])).kind, 'taken')
      assert.equal((await limiter.decide([changed])).kind, 'full')
      assert.equal(world.loads, 1)
    }
  })
  await fc.assert(property, { numRuns: 100 })
})

test('raise adopts higher counts from elsewhere, and never lowers', async () => {
  await using opened = await openLimiter()
  const { limiter } = opened
  for (const algorithm of ['fixed', 'sliding'] as const) {
    const counter = someCounter({ limit: 100, algorithm })
    const used = async () => (await limiter.statuses([counter]))[0]?.used
    await limiter.decide([counter])
    await limiter.raise([{ counter, tally: [[NOON, 7]] }])
    assert.equal(await used(), 7)
    await limiter.raise([{ counter, tally: [[NOON, 3]] }])
    assert.equal(await used(), 7)
    const [status] = (await limiter.decide([counter])).statuses
    assert.equal(status?.used, 8)
  }
})

test('a fixed window counted elsewhere until later merges with the local one', async () => {
  await using opened = await openLimiter()
  const { limiter } = opened
  const counter = someCounter({ limit: 100 })
  await limiter.decide([counter])
  await limiter.raise([{ counter, tally: [[later(NOON, seconds(10)), 5]] }])
  assert.deepEqual(await limiter.statuses([counter]), [{ counter, used: 5, resetsIn: millis(70_000) }])
})

test('a counter expires in Redis when none of it counts any more', async () => {
  await using opened = await openLimiter()
  const { limiter, connection } = opened
  const counter = someCounter({ window: seconds(30) })
  await limiter.decide([counter])
  const [, names] = (await connection.command('scan', 0, 'MATCH', `*${counter.tenantId}*`, 'COUNT', 100_000)) as [
    string,
    string[],
  ]
  assert.equal(names.length, 1)
  const left = Number(await connection.command('pttl', names[0] ?? ''))
  assert.ok(left > 30_000 && left <= 35_000, `${left} ms`)
})

test('reloads scripts that Redis has lost', async () => {
  await using opened = await openLimiter()
  const counter = someCounter({ limit: 3 })
  await opened.limiter.decide([counter])
  await opened.connection.command('script', 'FLUSH')
  assert.equal((await opened.limiter.decide([counter])).statuses[0]?.used, 2)
})

test('giving back to an expired counter changes nothing', async () => {
  await using opened = await openLimiter()
  const { limiter } = opened
  const counter = someCounter()
  const taken: Taken[] = [{ counter, start: NOON, used: 1 }]
  assert.deepEqual(await limiter.giveBack(taken), [{ counter, used: 0, resetsIn: millis(0) }])
  await limiter.decide([counter])
  await limiter.giveBack(taken)
  await limiter.giveBack(taken)
  assert.equal((await limiter.statuses([counter]))[0]?.used, 0)
})
