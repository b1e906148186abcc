/** The part of the limiter contract about fixed windows: each engine decides as the specified algorithm does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Counter, Rule } from '../domain/limits/limits.ts'
import { specifiedWindow } from '../domain/limits/window.fixture.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { acts, mustNotAct, type OpenLimiter, openWorld, someCounter, usedIn } from './limiter-samples.contract.ts'

const RULE: fc.Arbitrary<Rule> = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  window: fc.integer({ min: 2, max: 60_000 }).map(millis),
  algorithm: fc.constant('fixed' as const),
})

/** Sends of up to three windows, most of them within one. */
const scheduleOf = ({ window }: Rule) =>
  fc.array(
    fc.oneof({ weight: 3, arbitrary: fc.nat(Math.ceil(window / 3)) }, { weight: 1, arbitrary: fc.nat(window) }),
    {
      minLength: 1,
      maxLength: 10,
    },
  )

export function fixedWindowContract(open: OpenLimiter): void {
  test('S5-P3 the first window begins when the limit is set, not with the first act', async () => {
    await using world = await openWorld(open)
    const counter = setNow(world, { limit: 1 })
    world.pass(seconds(50))
    assert.deepEqual((await world.limiter.admit([counter], acts)).limits, [{ counter, used: 1, resetsIn: seconds(10) }])
    world.pass(millis(9_999))
    assert.equal((await world.limiter.admit([counter], mustNotAct)).kind, 'limited')
    world.pass(millis(1_001))
    const [status] = (await world.limiter.admit([counter], acts)).limits
    assert.deepEqual(status, { counter, used: 1, resetsIn: seconds(60) })
    world.pass(seconds(59))
    assert.equal((await world.limiter.admit([counter], mustNotAct)).kind, 'limited')
  })

  test('S5-P3 where lastRefreshTime + timeWindow <= now, a send succeeds, resets the count to 1 and the time to now, whatever the count was', async () => {
    await using world = await openWorld(open)
    const scenes = RULE.chain((rule) =>
      fc.tuple(fc.constant(rule), fc.nat(rule.limit), fc.nat(rule.window - 1), fc.nat(90_000)),
    )
    const property = fc.asyncProperty(scenes, async ([rule, count, firstAfter, pause]) => {
      const counter = setNow(world, rule)
      world.pass(millis(firstAfter))
      for (let sent = 0; sent < count; sent += 1) await world.limiter.admit([counter], acts)
      world.pass(millis(rule.window - firstAfter + pause))
      const [status] = (await world.limiter.admit([counter], acts)).limits
      assert.deepEqual(status, { counter, used: 1, resetsIn: rule.window })
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test('S5-P4 within its window a send is admitted if and only if currentCount < rateLimit, and a refused one leaves the count unchanged', async () => {
    await using world = await openWorld(open)
    const scenes = RULE.chain((rule) => fc.tuple(fc.constant(rule), scheduleOf(rule)))
    const property = fc.asyncProperty(scenes, async ([rule, pauses]) => {
      const [counter, specified] = [setNow(world, rule), specifiedWindow(rule, world.now())]
      for (const pause of pauses) {
        world.pass(millis(pause))
        const admission = await world.limiter.admit([counter], acts)
        assert.equal(admission.kind === 'admitted', specified.send(world.now()))
        const { lastRefreshTime, currentCount } = specified.state()
        assert.deepEqual(usedIn(admission), [currentCount])
        assert.equal(
          later(world.now(), admission.limits[0]?.resetsIn ?? millis(0)),
          later(lastRefreshTime, rule.window),
        )
      }
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test('an act that does not count leaves the first window where it is', async () => {
    await using world = await openWorld(open)
    const counter = setNow(world, { limit: 1 })
    world.pass(seconds(30))
    await world.limiter.admit([counter], async () => ({ value: 'again', counts: false }))
    const [status] = (await world.limiter.admit([counter], acts)).limits
    assert.deepEqual(status, { counter, used: 1, resetsIn: seconds(30) })
  })
}

const setNow = (world: Awaited<ReturnType<typeof openWorld>>, rule: Partial<Rule>): Counter => ({
  ...someCounter(rule),
  setAt: world.now(),
})
