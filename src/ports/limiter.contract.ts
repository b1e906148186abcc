/** The tests every limiter must pass: no limit is exceeded, and only acts that happened are counted. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Counter } from '../domain/limits/limits.ts'
import { type Millis, millis, seconds } from '../lib/time.ts'
import { fixedWindowContract } from './fixed-window.contract.ts'
import type { Act, Admission, Limiter } from './limiter.ts'
import { acts, mustNotAct, type OpenLimiter, openWorld, someCounter, usedIn } from './limiter-samples.contract.ts'
import { earlier, NOON, tenant } from './samples.contract.ts'

export type LimiterContractOptions = Readonly<{
  /** How often the race for the last slot is repeated. */
  rounds?: number
}>

const RUNNERS = 200

export function limiterContract(
  engine: string,
  open: OpenLimiter,
  { rounds = 100 }: LimiterContractOptions = {},
): void {
  describe(`limiter on ${engine}`, { timeout: 120_000 }, () => {
    test('without counters it acts and returns no limits', async () => {
      await using world = await openWorld(open)
      assert.deepEqual(await world.limiter.admit([], acts), { kind: 'admitted', value: 'done', limits: [] })
    })

    test('a counter admits up to its limit and reports its usage', async () => {
      await using world = await openWorld(open)
      const counter = someCounter({ limit: 2 })
      const first = await world.limiter.admit([counter], acts)
      assert.deepEqual(first, {
        kind: 'admitted',
        value: 'done',
        limits: [{ counter, used: 1, resetsIn: counter.rule.window }],
      })
      world.pass(seconds(10))
      assert.deepEqual(usedIn(await world.limiter.admit([counter], acts)), [2])
      assert.deepEqual(await world.limiter.admit([counter], mustNotAct), {
        kind: 'limited',
        retryAfter: seconds(50),
        limits: [{ counter, used: 2, resetsIn: seconds(50) }],
      })
    })

    test('reading the status of a counter does not count', async () => {
      await using world = await openWorld(open)
      const counter = someCounter({ limit: 1 })
      for (let time = 0; time < 3; time += 1) {
        assert.deepEqual(await world.limiter.status(counter), { counter, used: 0, resetsIn: millis(0) })
      }
      await world.limiter.admit([counter], acts)
      assert.deepEqual(await world.limiter.status(counter), { counter, used: 1, resetsIn: counter.rule.window })
      world.pass(counter.rule.window)
      assert.deepEqual(await world.limiter.status(counter), { counter, used: 0, resetsIn: millis(0) })
    })

    fixedWindowContract(open)

    test('a fixed window begins with the first act after the previous window ended', async () => {
      await using world = await openWorld(open)
      const counter = someCounter({ limit: 2 })
      await world.limiter.admit([counter], acts)
      world.pass(seconds(59))
      await world.limiter.admit([counter], acts)
      world.pass(millis(999))
      assert.equal(waitIn(await world.limiter.admit([counter], mustNotAct)), 1)
      world.pass(millis(1))
      const [status] = (await world.limiter.admit([counter], acts)).limits
      assert.deepEqual(status, { counter, used: 1, resetsIn: seconds(60) })
    })

    test('a sliding window releases its counts gradually, and never early', async () => {
      await using world = await openWorld(open)
      const counter = someCounter({ limit: 2, algorithm: 'sliding' })
      await world.limiter.admit([counter], acts)
      world.pass(seconds(10))
      assert.deepEqual(usedIn(await world.limiter.admit([counter], acts)), [2])
      world.pass(seconds(10))
      // The first count's slice ends one second after it began, and leaves the window a minute later.
      assert.equal(waitIn(await world.limiter.admit([counter], mustNotAct)), 41_000)
      world.pass(millis(40_999))
      assert.equal(waitIn(await world.limiter.admit([counter], mustNotAct)), 1)
      world.pass(millis(1))
      assert.deepEqual(usedIn(await world.limiter.admit([counter], acts)), [2])
      assert.equal(waitIn(await world.limiter.admit([counter], mustNotAct)), 10_000)
    })

    test('several counters are decided together: when one refuses, none counts', async () => {
      await using world = await openWorld(open)
      const [wide, narrow, other] = [someCounter({ limit: 9 }), someCounter({ limit: 1 }), someCounter({ limit: 9 })]
      await world.limiter.admit([narrow], acts)
      const refused = await world.limiter.admit([wide, narrow, other], mustNotAct)
      assert.equal(refused.kind, 'limited')
      assert.deepEqual(usedIn(refused), [0, 1, 0])
      assert.deepEqual(await usedOfEach(world.limiter, [wide, narrow, other]), [0, 1, 0])
      assert.deepEqual(usedIn(await world.limiter.admit([wide, other], acts)), [1, 1])
    })

    test('the retry time is when the last of several refusing counters admits', async () => {
      await using world = await openWorld(open)
      const counters = [someCounter({ limit: 1 }), someCounter({ limit: 1, window: seconds(300) })]
      await world.limiter.admit(counters, acts)
      assert.equal(waitIn(await world.limiter.admit(counters, mustNotAct)), 300_000)
      world.pass(seconds(60))
      assert.equal(waitIn(await world.limiter.admit(counters, mustNotAct)), 240_000)
      world.pass(seconds(240))
      assert.deepEqual(usedIn(await world.limiter.admit(counters, acts)), [1, 1])
    })

    test('an act that turns out not to count is refunded', async () => {
      await using world = await openWorld(open)
      const counters = [someCounter({ limit: 2 }), someCounter({ limit: 2, algorithm: 'sliding' })]
      await world.limiter.admit(counters, acts)
      const replayed = await world.limiter.admit(counters, repeats)
      assert.equal(replayed.kind === 'admitted' && replayed.value, 'again')
      assert.deepEqual(usedIn(replayed), [1, 1])
      assert.deepEqual(await usedOfEach(world.limiter, counters), [1, 1])
      assert.deepEqual(usedIn(await world.limiter.admit(counters, acts)), [2, 2])
    })

    test('a late refund does not make room in a later window', async () => {
      await using world = await openWorld(open)
      const counter = someCounter({ limit: 2 })
      await world.limiter.admit([counter], async () => {
        world.pass(seconds(60))
        return { value: 'again', counts: false }
      })
      for (let time = 0; time < 2; time += 1) await world.limiter.admit([counter], acts)
      assert.equal((await world.limiter.admit([counter], mustNotAct)).kind, 'limited')
    })

    test('rethrows what the act throws, without exceeding the limit afterwards', async () => {
      await using world = await openWorld(open)
      const counter = someCounter({ limit: 3 })
      await world.limiter.admit([counter], acts)
      const broken = new Error('append failed')
      await assert.rejects(
        world.limiter.admit([counter], () => Promise.reject(broken)),
        (error) => error === broken,
      )
      const { used } = await world.limiter.status(counter)
      assert.ok(used === 1 || used === 2, `${used} are counted`)
      const admitted = await outcomes(4, () => world.limiter.admit([counter], acts))
      assert.equal(admitted, 3 - used)
    })

    test('another tenant, scope, key or version counts separately', async () => {
      await using world = await openWorld(open)
      const counter = someCounter({ limit: 1 })
      const others: readonly Counter[] = [
        { ...counter, tenantId: tenant(randomUUID()) },
        { ...counter, scope: 'account' },
        { ...counter, scope: 'otp' },
        { ...counter, key: `${counter.key}:` },
        { ...counter, version: counter.version + 1 },
      ]
      await world.limiter.admit([counter], acts)
      assert.deepEqual(await usedOfEach(world.limiter, others), [0, 0, 0, 0, 0])
      for (const other of others) assert.deepEqual(usedIn(await world.limiter.admit([other], acts)), [1])
      assert.equal((await world.limiter.admit([counter], mustNotAct)).kind, 'limited')
    })

    test('a clock that moves back admits no more', async () => {
      await using world = await openWorld(open)
      const counters = [someCounter({ limit: 1 }), someCounter({ limit: 1, algorithm: 'sliding' })]
      for (const counter of counters) await world.limiter.admit([counter], acts)
      world.setClock(earlier(NOON, seconds(30)))
      for (const counter of counters) {
        assert.equal((await world.limiter.admit([counter], mustNotAct)).kind, 'limited')
      }
    })

    test(`S5-P6 with one slot left exactly one of ${RUNNERS} acts, ${rounds} times over`, async () => {
      await using world = await openWorld(open)
      for (let round = 0; round < rounds; round += 1) {
        const algorithm = round % 2 === 0 ? 'fixed' : 'sliding'
        const counters = [someCounter({ limit: 2, algorithm }), someCounter({ limit: RUNNERS * 2 })]
        await world.limiter.admit(counters, acts)
        let acted = 0
        const act = async () => {
          acted += 1
          await setImmediate()
          return { value: 'done', counts: true }
        }
        const admitted = await outcomes(RUNNERS, () => world.limiter.admit(counters, act))
        assert.deepEqual({ acted, admitted }, { acted: 1, admitted: 1 })
        assert.deepEqual(await usedOfEach(world.limiter, counters), [2, 2])
      }
    })

    test('concurrent callers never exceed the limit, whatever the order of their counters', async () => {
      await using world = await openWorld(open)
      const counters = [someCounter({ limit: 20 }), someCounter({ limit: 30 })]
      let calls = 0
      const admitted = await outcomes(RUNNERS, () => {
        calls += 1
        return world.limiter.admit(calls % 2 === 0 ? counters : counters.toReversed(), acts)
      })
      assert.equal(admitted, 20)
      assert.deepEqual(await usedOfEach(world.limiter, counters), [20, 20])
    })
  })
}

const repeats: Act<string> = async () => ({ value: 'again', counts: false })

function waitIn(admission: Admission<unknown>): Millis {
  assert.equal(admission.kind, 'limited')
  return admission.retryAfter
}

const usedOfEach = async (limiter: Limiter, counters: readonly Counter[]): Promise<readonly number[]> =>
  (await Promise.all(counters.map((counter) => limiter.status(counter)))).map(({ used }) => used)

/** How many of this many concurrent attempts are admitted. */
async function outcomes(count: number, attempt: () => Promise<Admission<unknown>>): Promise<number> {
  const admissions = await Promise.all(Array.from({ length: count }, attempt))
  return admissions.filter(({ kind }) => kind === 'admitted').length
}
