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
import { acts, someCounter } from '../ports/limiter.contract.ts'
import { NOON } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { type ClusterLimits, openClusterLimits } from './limits.ts'

const { migrated } = await sharePostgres()
const redis = await shareRedis()

const WINDOW = seconds(60)
/** When it fails it is run again and again, to find the shortest story. */
const SOON = { withinMs: 5_000, everyMs: 2 }
/** Nothing that was counted before it counts after it, whatever the algorithm and the clocks. */
const LONG = seconds(120)
const repeats = async () => ({ value: 'again', counts: false })

/** Two processes on one database, and a Redis that is away for both of them when it is. */
async function openWorld() {
  const opened = new AsyncDisposableStack()
  const database = opened.use(await migrated())
  const [world, prefix] = [{ at: NOON, isAway: false }, newRedisPrefix()]
  const clock = () => world.at
  const ignore = (): void => undefined
  const real = opened.use(await openRedis(redis.url))
  const pass = async (answer: Promise<unknown>): Promise<unknown> => {
    const said = await answer
    if (world.isAway) throw new Unavailable('what it said is lost')
    return said
  }
  const say = (what: () => Promise<unknown>) =>
    world.isAway ? Promise.reject(new Unavailable('there is no connection')) : pass(what())
  const connect = async () => ({
    run: (...args: Parameters<typeof real.run>) => say(() => real.run(...args)),
    command: (...args: Parameters<typeof real.command>) => say(() => real.command(...args)),
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
    /** What PostgreSQL knows of. */
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

/** One counter, what was admitted of it and when, and how much of that was not yet written when Redis was lost. */
function openStory(opened: World, counter: Counter) {
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
    beginAnew(): void {
      admitted.length = 0
      unwritten = 0
    },
    /** By the one, the other or both, all at once. */
    async send(by: readonly ClusterLimits[], count: number, isRepeat: boolean): Promise<number> {
      const { at } = world
      const ask = (nth: number) => by[nth % by.length]?.limiter.admit([counter], isRepeat ? repeats : acts)
      const admissions = await Promise.all(Array.from({ length: count }, (_, nth) => ask(nth)))
      const news = isRepeat ? [] : admissions.filter((admission) => admission?.kind === 'admitted').map(() => at)
      admitted.push(...news)
      return news.length
    },
    async lose(): Promise<void> {
      unwritten = Math.max(unwritten, counting() - (await written(counter)))
    },
    /** What is counted last is not written before what was counted first. */
    async settle(): Promise<void> {
      const marker = someCounter()
      for (const { limiter } of processes) await limiter.admit([marker], acts)
      await until('all to be written', async () => (await written(marker)) === processes.length, SOON)
    },
    healed: () => until('Redis to decide again', () => processes.every(({ path }) => path() === 'redis'), SOON),
  }
}

type Story = ReturnType<typeof openStory>

type Step =
  | Readonly<{ kind: 'send'; by: number; count: number; isRepeat: boolean }>
  /** While so many are asking, which Redis has counted and could not say. */
  | Readonly<{ kind: 'lose'; asking: number; isWritten: boolean }>
  | Readonly<{ kind: 'return'; isEmpty: boolean }>
  /** It restarts, and nobody asks it meanwhile. */
  | Readonly<{ kind: 'empty' }>
  | Readonly<{ kind: 'settle' }>
  | Readonly<{ kind: 'pass'; by: Millis }>

async function take(opened: World, story: Story, step: Step): Promise<void> {
  const { world, processes, empty } = opened
  switch (step.kind) {
    case 'send':
      await story.send(processes.slice(step.by === 1 ? 1 : 0, step.by === 0 ? 1 : 2), step.count, step.isRepeat)
      return
    case 'lose': {
      if (world.isAway) return
      if (step.isWritten) await story.settle()
      await story.lose()
      const asking = story.send(processes, step.asking, false)
      world.isAway = true
      await asking
      return
    }
    case 'return':
      if (world.isAway && step.isEmpty) await empty()
      world.isAway = false
      await story.healed()
      return
    case 'empty':
      await story.lose()
      await empty()
      return
    case 'settle':
      await story.settle()
      return
    case 'pass':
      world.at = later(world.at, step.by)
      if (story.counting() === 0) story.beginAnew()
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
  { weight: 1, arbitrary: fc.constant({ kind: 'settle' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass'),
      by: fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.constantFrom(500, 30_000, 60_000, 61_000)).map(millis),
    }),
  },
)

/** Whether there are windows of at least that length, one after the other, none of which holds more. */
function fitInto(windows: Millis, most: number, times: readonly Instant[]): boolean {
  const [first] = times
  if (first === undefined || times.length <= most) return true
  const isNext = (at: Instant, nth: number): boolean => nth <= most && at >= first + windows
  return times.some((at, nth) => isNext(at, nth) && fitInto(windows, most, times.slice(nth)))
}

const holdsAtMost = ({ rule: { algorithm, window } }: Counter, most: number, times: readonly Instant[]): boolean =>
  algorithm === 'fixed'
    ? fitInto(window, most, times)
    : times.every((end) => times.filter((at) => at <= end && at > end - window).length <= most)

test('S5-P11 however Redis comes and goes, no window holds more than the limit and what was not yet written', async () => {
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
    const story = openStory(opened, counter)
    for (const step of steps) {
      await take(opened, story, step)
      const most = limit + story.unwritten()
      assert.ok(holdsAtMost(counter, most, story.admitted), `${story.admitted.length} sent, ${most} are the most`)
    }

    await take(opened, story, { kind: 'return', isEmpty: false })
    // The next that each counts makes it known what is missing.
    for (const one of processes) await story.send([one], 1, false)
    await story.settle()
    const used = await written(counter)
    const known = async () => (await processes[0].limiter.standing(counter)).used
    await until('Redis to know of all', async () => (await known()) >= Math.min(limit, used), SOON)
    assert.equal(await story.send(processes, 20, false), Math.max(0, limit - used))

    world.at = later(world.at, LONG)
    assert.equal(await story.send(processes, 20, false), limit)
    await story.settle()
    assert.deepEqual([await written(counter), (await processes[1].limiter.standing(counter)).used], [limit, limit])
  })
  await fc.assert(property, { numRuns: 120 })
})
