import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newRedisPrefix, shareRedis } from '../../../test/support/redis-server.ts'
import { until } from '../../../test/support/until.ts'
import { endsAt, NOTHING, type Tally, waitOfAll } from '../../domain/limits/limits.ts'
import { instant, later, millis } from '../../lib/time.ts'
import { someCounter } from '../../ports/limiter-samples.contract.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { openLimiterAt, SKEW } from './limiter.fixture.ts'

const server = await shareRedis()
const openLimiter = () => openLimiterAt(NOON, server.url, newRedisPrefix())

test('S5-P9 a cached counter is decided without a load, a missing one is loaded first', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const scene = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    used: fc.integer({ min: 0, max: 6 }),
    elapsed: fc.integer({ min: 0, max: 70_000 }),
    algorithm: fc.constantFrom('fixed' as const, 'sliding' as const),
  })
  const property = fc.asyncProperty(scene, async ({ limit, used, elapsed, algorithm }) => {
    const counter = { ...someCounter({ limit, algorithm }), key: crypto.randomUUID() }
    const tally: Tally = used === 0 ? NOTHING : [[NOON, used]]
    world.truth = [{ counter, tally }]
    world.at = later(NOON, millis(elapsed))
    // Redis has just started and cannot know.
    await limiter.forget([])
    world.loads = 0
    const retryAfter = waitOfAll([{ counter, tally }], world.at)
    const first = await limiter.decide([counter])
    assert.deepEqual([first.kind, world.loads], [retryAfter > 0 ? 'full' : 'taken', 1])
    world.truth = []
    const [before] = first.statuses
    assert.deepEqual(await limiter.statuses([counter]), [before])
    await limiter.decide([counter])
    assert.equal(world.loads, 1)
  })
  await fc.assert(property, { numRuns: 100 })
})

test('S5-P9 a missing counter counts as zero without a load once Redis has seen every count that could still matter', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const nearly = (around: number) => fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer()).map((by) => around + by)
  const scene = fc
    .record({
      window: fc.integer({ min: 1, max: 100_000 }),
      algorithm: fc.constantFrom('fixed' as const, 'sliding' as const),
    })
    .chain(({ window, algorithm }) => {
      const counter = someCounter({ limit: 1, window: millis(window), algorithm })
      const lasts = (endsAt(counter.rule, [[NOON, 1]]) ?? NOON) - NOON
      const setAfter = fc.option(nearly(SKEW), { nil: undefined })
      return fc.record({
        counter: fc.constant(counter),
        lasts: fc.constant(lasts),
        elapsed: nearly(lasts + SKEW),
        setAfter,
      })
    })
  let since = NOON
  const property = fc.asyncProperty(scene, async ({ counter, lasts, elapsed, setAfter }) => {
    since = instant(since + 1e10)
    world.at = since
    await limiter.forget([])
    world.at = instant(since + Math.max(0, elapsed))
    world.loads = 0
    const setAt = setAfter === undefined ? {} : { setAt: instant(Math.max(0, since + setAfter)) }
    const isNew = setAfter !== undefined && setAfter > SKEW
    world.truth = isNew ? [] : [{ counter, tally: [[since, 1]] }]
    const { kind } = await limiter.decide([{ ...counter, ...setAt }])
    const isKnown = isNew || elapsed > lasts + SKEW
    assert.deepEqual([kind, world.loads], [isNew || elapsed >= lasts ? 'taken' : 'full', isKnown ? 0 : 1])
  })
  await fc.assert(property, { numRuns: 300 })
})

test('Redis has seen every count since its first probe, and starts over after something was counted elsewhere', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const loadsAfter = async (elapsed: number): Promise<number> => {
    world.at = later(world.at, millis(elapsed))
    world.loads = 0
    await limiter.decide([someCounter()])
    return world.loads
  }
  const long = 60_000 + SKEW + 1
  await limiter.probe()
  assert.equal(await loadsAfter(long - 1), 1)
  await limiter.probe()
  assert.equal(await loadsAfter(1), 0)
  await limiter.forget([someCounter()])
  assert.equal(await loadsAfter(0), 1)
  // A caller with a slow clock does not move it back.
  world.at = later(world.at, millis(-20_000))
  await limiter.forgetAll()
  assert.equal(await loadsAfter(long), 1)
  assert.equal(await loadsAfter(20_000), 0)
})

test('concurrent misses share one load, and misses during a load share the next', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const { promise, resolve } = Promise.withResolvers<void>()
  world.loading = promise
  const shared = someCounter({ limit: 500 })
  const decideMany = () => Array.from({ length: 100 }, () => limiter.decide([shared, someCounter()]))
  const first = decideMany()
  await until('the first to be loaded', () => world.loads === 1)
  const second = decideMany()
  // Redis answers in order, so the commands before it are answered too.
  await opened.connection.command('ping')
  resolve()
  const kinds = (await Promise.all([...first, ...second])).map(({ kind }) => kind)
  assert.deepEqual([new Set(kinds), world.loads], [new Set(['taken']), 2])
  assert.equal((await limiter.statuses([shared]))[0]?.used, 200)
})

test('loads only the missing ones of several counters', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const [known, unknown] = [someCounter(), { ...someCounter(), key: 'other' }]
  await limiter.decide([known])
  world.truth = [{ counter: unknown, tally: [[NOON, 3]] }]
  const { statuses } = await limiter.decide([known, unknown])
  assert.deepEqual(
    statuses.map(({ used }) => used),
    [2, 4],
  )
})

test('loads forgotten counters again, one by one or all of a prefix', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const counters = Array.from({ length: 30 }, () => someCounter())
  await limiter.decide(counters)
  world.loads = 0
  await limiter.forget(counters.slice(0, 3))
  await limiter.statuses(counters)
  assert.equal(world.loads, 1)
  await limiter.forgetAll()
  const statuses = await limiter.statuses(counters)
  assert.equal(world.loads, 2)
  assert.ok(statuses.every(({ used }) => used === 0))
})
