import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sharePostgres } from '../../test/support/postgres-server.ts'
import { newRedisPrefix, shareRedis } from '../../test/support/redis-server.ts'
import { until } from '../../test/support/until.ts'
import { type Counter, current, NOTHING, usedOf } from '../domain/limits/limits.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openRedis } from '../engines/redis/connection.ts'
import { type Instant, later, type Millis, millis, seconds } from '../lib/time.ts'
import { acts, someCounter } from '../ports/limiter-samples.contract.ts'
import { NOON } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { type ClusterLimits, openClusterLimits } from './limits.ts'

const { migrated } = await sharePostgres()
const redis = await shareRedis()

const WINDOW = seconds(60)
/** Short, because shrinking a failure repeats the property many times. */
const SOON = { withinMs: 5_000, everyMs: 2 }
/** Longer than any window: nothing counted before it counts after it. */
const LONG = seconds(120)
const repeats = async () => ({ value: 'again', counts: false })

/** Two processes on one database, and a Redis that both lose at the same time. */
async function openWorld() {
  const opened = new AsyncDisposableStack()
  const database = opened.use(await migrated())
  const [world, prefix] = [{ at: NOON, isDown: false }, newRedisPrefix()]
  const clock = () => world.at
  const ignore = (): void => undefined
  const real = opened.use(await openRedis(redis.url))
  const pass = async (answer: Promise<unknown>): Promise<unknown> => {
    const value = await answer
    if (world.isDown) throw new Unavailable('the answer is lost')
    return value
  }
  const call = (command: () => Promise<unknown>) =>
    world.isDown ? Promise.reject(new Unavailable('no connection')) : pass(command())
  const connect = async () => ({
    run: (...args: Parameters<typeof real.run>) => call(() => real.run(...args)),
    command: (...args: Parameters<typeof real.command>) => call(() => real.command(...args)),
    reset: ignore,
    async [Symbol.asyncDispose]() {},
  })
  const open = async (): Promise<ClusterLimits> =>
    opened.use(
      await openClusterLimits({
        redisUrl: redis.url,
        postgresUrl: database.appUrl,
        prefix,
        clock,
        connect,
        onFault: ignore,
        probeMs: 2,
        writeMs: 20,
      }),
    )
  const postgres = opened.use(
    await openPostgresLimits({ url: database.appUrl, clock, onFault: ignore, onUncounted: ignore }),
  )
  return {
    world,
    processes: [await open(), await open()] as const,
    /** The count in PostgreSQL. */
    async written(counter: Counter): Promise<number> {
      const [count] = await postgres.counts.read([counter])
      return usedOf(current(counter.rule, count?.tally ?? NOTHING, world.at))
    },
    async empty(): Promise<void> {
      const [, keys] = (await real.command('scan', 0, 'MATCH', `${prefix}:*`, 'COUNT', 100_000)) as [string, string[]]
      if (keys.length > 0) await real.command('unlink', ...keys)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** One counter, when calls were admitted, and how many of them were not yet written when Redis was lost. */
function openScenario(opened: World, counter: Counter) {
  const { world, processes, written } = opened
  const admitted: Instant[] = []
  let unwritten = 0
  const counting = () =>
    current(
      counter.rule,
      admitted.map((at) => [at, 1] as const),
      world.at,
    ).length
  return {
    admitted,
    counting,
    unwritten: () => unwritten,
    reset(): void {
      admitted.length = 0
      unwritten = 0
    },
    /** All at once, by one process or both. */
    async send(by: readonly ClusterLimits[], count: number, isRepeat: boolean): Promise<number> {
      const { at } = world
      const ask = (nth: number) => by[nth % by.length]?.limiter.admit([counter], isRepeat ? repeats : acts)
      const admissions = await Promise.all(Array.from({ length: count }, (_, nth) => ask(nth)))
      const counted = isRepeat ? [] : admissions.filter((admission) => admission?.kind === 'admitted').map(() => at)
      admitted.push(...counted)
      return counted.length
    },
    async lose(): Promise<void> {
      unwritten = Math.max(unwritten, counting() - (await written(counter)))
    },
    /** Waits until everything is written: writes keep their order, so a marker comes last. */
    async flush(): Promise<void> {
      const marker = someCounter()
      for (const { limiter } of processes) await limiter.admit([marker], acts)
      await until('everything to be written', async () => (await written(marker)) === processes.length, SOON)
    },
    recovered: () => until('Redis to decide again', () => processes.every(({ path }) => path() === 'redis'), SOON),
  }
}

type Scenario = ReturnType<typeof openScenario>

type Step =
  | Readonly<{ kind: 'send'; by: number; count: number; isRepeat: boolean }>
  /** `asking` calls are in flight: Redis has counted them, and its answers are lost. */
  | Readonly<{ kind: 'lose'; asking: number; isWritten: boolean }>
  | Readonly<{ kind: 'return'; isEmpty: boolean }>
  /** Redis restarts empty, unnoticed. */
  | Readonly<{ kind: 'empty' }>
  | Readonly<{ kind: 'flush' }>
  | Readonly<{ kind: 'pass'; by: Millis }>

async function runStep(opened: World, scenario: Scenario, step: Step): Promise<void> {
  const { world, processes, empty } = opened
  switch (step.kind) {
    case 'send':
      await scenario.send(processes.slice(step.by === 1 ? 1 : 0, step.by === 0 ? 1 : 2), step.count, step.isRepeat)
      return
    case 'lose': {
      if (world.isDown) return
      if (step.isWritten) await scenario.flush()
      await scenario.lose()
      const asking = scenario.send(processes, step.asking, false)
      world.isDown = true
      await asking
      return
    }
    case 'return':
      if (world.isDown && step.isEmpty) await empty()
      world.isDown = false
      await scenario.recovered()
      return
    case 'empty':
      await scenario.lose()
      await empty()
      return
    case 'flush':
      await scenario.flush()
      return
    case 'pass':
      world.at = later(world.at, step.by)
      if (scenario.counting() === 0) scenario.reset()
  }
}

const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('send'),
      by: fc.integer({ min: 0, max: 2 }),
      count: fc.integer({ min: 1, max: 8 }),
      isRepeat: fc.integer({ min: 0, max: 4 }).map((nth) => nth === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('lose'),
      asking: fc.integer({ min: 0, max: 2 }),
      isWritten: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('return'), isEmpty: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'empty' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'flush' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass'),
      by: fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.constantFrom(500, 30_000, 60_000, 61_000)).map(millis),
    }),
  },
)

/**
 * Whether the times can be split into consecutive windows of at least this length with at most `max` times each. The
 * first window begins when the limit was set, or with the first time.
 */
function fitInto(window: Millis, max: number, times: readonly Instant[], setAt?: Instant): boolean {
  const [first] = times
  if (first === undefined || times.length <= max) return true
  const begin = setAt !== undefined && first < later(setAt, window) ? setAt : first
  const isNext = (at: Instant, nth: number): boolean => nth <= max && at >= later(begin, window)
  return times.some((at, nth) => isNext(at, nth) && fitInto(window, max, times.slice(nth)))
}

const holdsAtMost = ({ rule: { algorithm, window }, setAt }: Counter, max: number, times: readonly Instant[]) =>
  algorithm === 'fixed'
    ? fitInto(window, max, times, setAt)
    : times.every((end) => times.filter((at) => at <= end && at > end - window).length <= max)

test('S5-P11 through any outage of Redis, no window exceeds the limit by more than what was not yet written', async () => {
  await using opened = await openWorld()
  const { world, processes, written } = opened
  const scene = fc.record({
    limit: fc.integer({ min: 1, max: 8 }),
    algorithm: fc.constantFrom('fixed' as const, 'sliding' as const),
    isNew: fc.boolean(),
    steps: fc.array(STEP, { minLength: 5, maxLength: 16, size: 'max' }),
  })
  const property = fc.asyncProperty(scene, async ({ limit, algorithm, isNew, steps }) => {
    const rule = someCounter({ limit, algorithm, window: WINDOW })
    const counter = isNew ? { ...rule, setAt: world.at } : rule
    const scenario = openScenario(opened, counter)
    for (const step of steps) {
      await runStep(opened, scenario, step)
      const max = limit + scenario.unwritten()
      assert.ok(
        holdsAtMost(counter, max, scenario.admitted),
        `${scenario.admitted.length} sent, at most ${max} expected`,
      )
    }

    await runStep(opened, scenario, { kind: 'return', isEmpty: false })
    // The next count of each process raises what Redis is missing.
    for (const one of processes) await scenario.send([one], 1, false)
    await scenario.flush()
    const used = await written(counter)
    const usedInRedis = async () => (await processes[0].limiter.status(counter)).used
    await until('Redis to have every count', async () => (await usedInRedis()) >= Math.min(limit, used), SOON)
    assert.equal(await scenario.send(processes, 20, false), Math.max(0, limit - used))

    world.at = later(world.at, LONG)
    assert.equal(await scenario.send(processes, 20, false), limit)
    await scenario.flush()
    assert.deepEqual([await written(counter), (await processes[1].limiter.status(counter)).used], [limit, limit])
  })
  await fc.assert(property, { numRuns: 120 })
})
