/**
 * Rate limits in the cluster profile: rules in PostgreSQL, decisions in Redis, or in PostgreSQL while Redis is
 * unreachable. Opens while either is unreachable, and uses it as soon as it is back.
 */
import { type Counter, NOTHING, startOf } from '../domain/limits/limits.ts'
import { cachedUserLimits } from '../engines/decorators/cached-user-limits.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openRedis } from '../engines/redis/connection.ts'
import { Copies } from '../engines/redis/copies.ts'
import { RedisLimiter, type RedisLimiterDeps } from '../engines/redis/limiter.ts'
import type { Clock } from '../lib/clock.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { LimitRules } from '../ports/limit-rules.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { SharedCache } from '../ports/shared-cache.ts'
import { type DependencyHealth, probe } from './health.ts'
import { LimitSwitch } from './limit-switch.ts'
import { ReadThrough } from './read-through.ts'
import { WriteBehind } from './write-behind.ts'

export type ClusterLimitsOptions = Readonly<{
  redisUrl: string
  postgresUrl: string
  /** The prefix of all keys in Redis, so that several installations can share it. */
  prefix: string
  clock: Clock
  /** Called once per outage of a store. */
  onFault: (error: unknown) => void
  /** Resolves when every healthy process has applied a changed rule. */
  whenPropagated?: () => Promise<unknown>
  /** Replaces the connection to Redis, for tests. */
  connect?: (url: string) => Promise<RedisLimiterDeps['connection'] & AsyncDisposable>
  /** How often an unreachable Redis is probed. */
  probeMs?: number
  /** How long a decision of Redis may wait to be written to PostgreSQL. */
  writeMs?: number
}>

export type ClusterLimits = AsyncDisposable &
  Readonly<{
    limiter: Limiter
    rules: LimitRules
    /** Copies in Redis, of limits and of whatever else is read for every call. */
    cache: SharedCache
    /** `limits` is healthy when the rules are loaded and can be changed. */
    health: () => Promise<Readonly<{ redis: DependencyHealth; limits: DependencyHealth }>>
    /** Which store decides now. */
    path: () => 'redis' | 'postgres'
  }>

const SWEEP_MS = 30_000

export async function openClusterLimits(options: ClusterLimitsOptions): Promise<ClusterLimits> {
  const { redisUrl, postgresUrl, prefix, clock, onFault, connect = openRedis } = options
  const { whenPropagated, probeMs, writeMs } = options
  await using opened = new AsyncDisposableStack()
  const onUncounted = (counters: readonly Counter[]): void => {
    for (const counter of counters) behind.note(counter, startOf(counter, NOTHING, clock()), 1, 0)
  }
  const postgres = opened.use(
    await openPostgresLimits({ url: postgresUrl, clock, onFault, onUncounted, ...omitUndefined({ whenPropagated }) }),
  )
  const { counts, rules } = postgres
  const connection = opened.use(await connect(redisUrl))
  const redis = new RedisLimiter({ connection, prefix, clock, load: (counters) => behind.load(counters) })
  const behind = opened.use(
    new WriteBehind({
      clock,
      add: (changes, at) => counts.add(changes, at),
      raise: (known) => redis.raise(known),
      read: (counters) => counts.read(counters),
      onFault,
      ...omitUndefined({ everyMs: writeMs }),
    }),
  )
  const limiter = opened.use(
    new LimitSwitch({
      redis,
      postgres: postgres.limiter,
      behind,
      beforeReturn: () => cache.dropOutdated(),
      onFault,
      ...omitUndefined({ probeMs }),
    }),
  )
  const cache = new ReadThrough({
    copies: new Copies({ connection, prefix }),
    tryRedis: (ask) => limiter.tryRedis(ask),
  })
  // A new Redis starts to see every count now, not only with the first message under a limit.
  await redis.probe().catch(() => undefined)
  opened.defer(startSweeping(() => counts.sweep(clock())))
  const all = opened.move()
  return {
    limiter,
    rules: cachedUserLimits(rules, cache),
    cache,
    path: () => limiter.path,
    health: async () => {
      const [ofRedis, ofPostgres] = await Promise.all([probe(() => redis.probe()), probe(() => postgres.health())])
      return { redis: ofRedis, limits: rules.isLoaded() ? ofPostgres : { ok: false, detail: NOT_LOADED } }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Returns how to stop. */
function startSweeping(sweep: () => Promise<void>): () => void {
  const sweeper = setInterval(() => void sweep().catch(() => undefined), SWEEP_MS).unref()
  return () => clearInterval(sweeper)
}

const NOT_LOADED = 'limits not loaded yet; messages are refused until they are'
