import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as pass } from 'node:timers/promises'
import { sharePostgres, type TestDatabase } from '../../test/support/postgres-server.ts'
import { newRedisPrefix, openOwnRedis } from '../../test/support/redis-server.ts'
import { until } from '../../test/support/until.ts'
import type { Counter } from '../domain/limits/limits.ts'
import { seconds } from '../lib/time.ts'
import { someLimit } from '../ports/limit-rules.contract.ts'
import type { Limiter } from '../ports/limiter.ts'
import { acts, mustNotAct, someCounter, usedIn } from '../ports/limiter-samples.contract.ts'
import { NOON } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { type ClusterLimits, openClusterLimits } from './limits.ts'

const { server, migrated } = await sharePostgres({ own: true })
const redis = await openOwnRedis()
after(() => redis[Symbol.asyncDispose]())
const ofPostgres = server.faults === undefined ? { skip: "a server that is not the tests' own is not broken" } : {}

/** Nothing listens there. */
const NOWHERE = 'redis://127.0.0.1:1'
/** How long a decision may take to reach PostgreSQL on a busy machine. */
const BEHIND_MS = 400
const SOON_MS = 2_000

type World = AsyncDisposable & Readonly<{ open: (redisUrl?: string) => Promise<ClusterLimits>; faults: unknown[] }>

/** Any number of processes on one database and one Redis. */
async function openWorld(): Promise<World> {
  const opened = new AsyncDisposableStack()
  const database: TestDatabase = opened.use(await migrated())
  const [prefix, faults]: [string, unknown[]] = [newRedisPrefix(), []]
  return {
    faults,
    open: async (redisUrl = redis.url) =>
      opened.use(
        await openClusterLimits({
          redisUrl,
          postgresUrl: database.appUrl,
          prefix,
          clock: () => NOON,
          onFault: (error) => faults.push(error),
          whenPropagated: async () => undefined,
        }),
      ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const healed = (...all: ClusterLimits[]) =>
  until('Redis to decide again', () => all.every((limits) => limits.path() === 'redis'))

const usedOf = async (limiter: Limiter, counter: Counter): Promise<number> => (await limiter.status(counter)).used

/** How many of `count` concurrent calls are admitted; each must be answered soon. */
async function race(limiters: readonly Limiter[], counter: Counter, count: number): Promise<number> {
  const admissions = await Promise.all(
    Array.from({ length: count }, async (_, nth) => {
      const askedAt = performance.now()
      const admission = await limiters[nth % limiters.length]?.admit([counter], acts)
      const took = performance.now() - askedAt
      assert.ok(took < SOON_MS, `it took ${took} ms`)
      return admission
    }),
  )
  return admissions.filter((admission) => admission?.kind === 'admitted').length
}

const HARM = {
  killed: { harm: () => redis.kill(), repair: () => redis.start() },
  stopped: { harm: () => redis.stop(), repair: () => redis.start() },
  frozen: { harm: async () => redis.freeze(), repair: async () => redis.thaw() },
} as const

describe('the limits of a cluster', { timeout: 120_000 }, () => {
  for (const [how, { harm, repair }] of Object.entries(HARM)) {
    test(`S5-P11 S5-P6 PostgreSQL decides at once and as exactly when Redis is ${how}, and Redis when it is back`, async () => {
      await using world = await openWorld()
      const [one, other] = [await world.open(), await world.open()]
      const limiters = [one.limiter, other.limiter]
      const counter = someCounter({ limit: 20 })
      assert.equal(await race(limiters, counter, 7), 7)
      await harm()
      try {
        // Each process writes its decisions when it notices the outage, so wait for both.
        for (const limiter of limiters) await limiter.admit([someCounter()], acts)
        assert.deepEqual([one.path(), other.path()], ['postgres', 'postgres'])
        assert.equal(await race(limiters, counter, 6), 6)
        assert.equal(await race(limiters, { ...counter, rule: { ...counter.rule, limit: 14 } }, 100), 1)
      } finally {
        await repair()
      }
      await healed(one, other)
      assert.equal(await usedOf(one.limiter, counter), 14)
      assert.equal(await race(limiters, counter, 100), 6)
      assert.equal(world.faults.length, 2)
    })
  }

  for (const [how, { harm, repair }] of Object.entries(HARM)) {
    test(`under load, when Redis is ${how}, the limit is exceeded at most by what was not yet written`, async () => {
      await using world = await openWorld()
      const all = [await world.open(), await world.open()]
      const truth = await world.open(NOWHERE)
      const counter = someCounter({ limit: 400 })
      const load = startLoad(all, counter)
      await until('some to be admitted', () => load.admitted() >= 120)
      const unwritten = load.lately()
      await harm()
      await until('PostgreSQL to decide', () => all.every((limits) => limits.path() === 'postgres'))
      await until('PostgreSQL to decide for a while', () => load.admitted() >= 200)
      await repair()
      await healed(...all)
      const decidedTwice = load.lately()
      await until('the limit to be reached', () => load.refused() > 20)
      await load.end()
      const most = 400 + unwritten + decidedTwice
      assert.ok(load.admitted() >= 400 && load.admitted() <= most, `${load.admitted()} of at most ${most}`)
      assert.ok(load.slowest() < SOON_MS, `one took ${load.slowest()} ms`)
      await until('all to be written', async () => (await usedOf(truth.limiter, counter)) >= load.admitted())
    })
  }

  test('S5-P9 a Redis that lost its data loads the counts again', async () => {
    await using world = await openWorld()
    const [limits, truth] = [await world.open(), await world.open(NOWHERE)]
    const counter = someCounter({ limit: 5 })
    await race([limits.limiter], counter, 3)
    await until('it to be written', async () => (await usedOf(truth.limiter, counter)) === 3)
    await redis.kill()
    await redis.start()
    await until('Redis to be asked again', async () => (await limits.health()).redis.ok && limits.path() === 'redis')
    assert.equal(await race([limits.limiter], counter, 50), 2)
  })

  test('S5-P10 a changed limit counts from zero, even if Redis was unreachable meanwhile and has the old count', async () => {
    await using world = await openWorld()
    const { limiter, rules, path } = await world.open()
    const wanted = someLimit({ rule: { limit: 2, window: seconds(600), algorithm: 'fixed' } })
    const admitted = async (): Promise<number> => {
      const [counter] = rules.counters([wanted])
      assert.ok(counter !== undefined)
      return race([limiter], counter, 10)
    }
    await rules.set(wanted)
    assert.equal(await admitted(), 2)
    await rules.set(wanted)
    assert.equal(await admitted(), 2)
    redis.freeze()
    try {
      await rules.set(wanted)
    } finally {
      redis.thaw()
    }
    await until('Redis to answer', () => path() === 'redis')
    assert.equal(await admitted(), 2)
    await rules.set({ ...wanted, rule: { ...wanted.rule, limit: 5 } })
    assert.equal(await admitted(), 5)
  })

  test('processes share a limit exactly', async () => {
    await using world = await openWorld()
    const limiters = [await world.open(), await world.open(), await world.open()].map(({ limiter }) => limiter)
    for (const algorithm of ['fixed', 'sliding'] as const) {
      for (let round = 0; round < 10; round += 1) {
        assert.equal(await race(limiters, someCounter({ limit: 31, algorithm }), 200), 31)
      }
    }
  })

  test('the counts of a process without Redis reach the others', async () => {
    await using world = await openWorld()
    const [connected, cutOff] = [await world.open(), await world.open(NOWHERE)]
    const counter = someCounter({ limit: 10 })
    await connected.limiter.admit([counter], acts)
    assert.equal(await race([cutOff.limiter], counter, 3), 3)
    assert.equal(await race([connected.limiter], counter, 2), 2)
    await until('each to know of all', async () => {
      const used = await Promise.all([connected, cutOff].map(({ limiter }) => usedOf(limiter, counter)))
      return used.every((count) => count === 6)
    })
    assert.equal(await race([connected.limiter], counter, 50), 4)
  })

  test('a repeated call is counted in neither store', async () => {
    await using world = await openWorld()
    const [limits, truth] = [await world.open(), await world.open(NOWHERE)]
    const counter = someCounter({ limit: 3 })
    for (let time = 0; time < 5; time += 1) {
      await limits.limiter.admit([counter], async () => {
        await pass(BEHIND_MS)
        return { value: 'again', counts: time === 0 }
      })
    }
    assert.equal(await usedOf(limits.limiter, counter), 1)
    await until('that to be written', async () => (await usedOf(truth.limiter, counter)) === 1)
  })

  test('Redis decides while PostgreSQL is unreachable, and its decisions are written later', ofPostgres, async () => {
    await using world = await openWorld()
    const [limits, truth] = [await world.open(), await world.open(NOWHERE)]
    const counter = someCounter({ limit: 10 })
    await limits.limiter.admit([counter], acts)
    await until('it to be written', async () => (await usedOf(truth.limiter, counter)) === 1)
    await server.faults?.stop()
    try {
      assert.equal(await race([limits.limiter], counter, 4), 4)
      assert.equal(await race([limits.limiter], someCounter({ limit: 2 }), 9), 2)
      assert.deepEqual([limits.path(), (await limits.health()).limits.ok], ['redis', false])
    } finally {
      await server.faults?.start()
    }
    await until('all to be written', async () => (await usedOf(truth.limiter, counter).catch(() => 0)) === 5)
  })

  test('a hanging PostgreSQL does not delay decisions, even on new counters', ofPostgres, async () => {
    await using world = await openWorld()
    const { limiter } = await world.open()
    await server.faults?.freeze()
    try {
      for (let time = 0; time < 3; time += 1) assert.equal(await race([limiter], someCounter({ limit: 2 }), 9), 2)
    } finally {
      await server.faults?.thaw()
    }
  })

  test('while both are unreachable only unlimited messages are admitted', ofPostgres, async () => {
    await using world = await openWorld()
    const limits = await world.open()
    const counter = someCounter()
    await limits.limiter.admit([counter], acts)
    await redis.kill()
    await server.faults?.stop()
    try {
      await assert.rejects(limits.limiter.admit([counter], mustNotAct), Unavailable)
      await assert.rejects(limits.limiter.status(counter), Unavailable)
      assert.deepEqual(usedIn(await limits.limiter.admit([], acts)), [])
      assert.deepEqual(await Promise.all(Object.values(await limits.health()).map(({ ok }) => ok)), [false, false])
      await redis.start()
      await healed(limits)
      // The decision from before the outage is not written yet, and not lost.
      assert.deepEqual(usedIn(await limits.limiter.admit([counter], acts)), [2])
    } finally {
      await redis.start()
      await server.faults?.start()
    }
  })
})

/** Concurrent callers that keep asking for one counter, and what they were answered. */
function startLoad(all: readonly ClusterLimits[], counter: Counter) {
  const admissions: number[] = []
  let [refused, slowest, isOver] = [0, 0, false]
  const act = async () => {
    await pass(2)
    return { value: 'done', counts: true }
  }
  const call = async ({ limiter }: ClusterLimits): Promise<void> => {
    while (!isOver) {
      const askedAt = performance.now()
      const { kind } = await limiter.admit([counter], act)
      slowest = Math.max(slowest, performance.now() - askedAt)
      if (kind === 'admitted') admissions.push(performance.now())
      else refused += 1
      await pass(40)
    }
  }
  const calls = Promise.all(all.flatMap((limits) => Array.from({ length: 8 }, () => call(limits))))
  return {
    admitted: () => admissions.length,
    refused: () => refused,
    slowest: () => slowest,
    /** What may have reached one store and not yet the other. */
    lately: () => admissions.filter((at) => performance.now() - at < BEHIND_MS).length,
    async end(): Promise<void> {
      isOver = true
      await calls
    },
  }
}
