/**
 * Rate limits in the cluster profile: rules in PostgreSQL, decisions in Redis, or in PostgreSQL while Redis is
 * unreachable. Opens while either is unreachable, and uses it as soon as it is back.
 */
import { type Counter, NOTHING, startOf } from '../domain/limits/limits.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openRedis } from '../engines/redis/connection.ts'
import { RedisLimiter, type RedisLimiterDeps } from '../engines/redis/limiter.ts'
import type { Clock } from '../lib/clock.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { LimitRules } from '../ports/limit-rules.ts'
import type { Limiter } from '../ports/limiter.ts'
import { type DependencyHealth, probe } from './health.ts'
import { LimitSwitch } from './limit-switch.ts'
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
    /** `limits` is healthy when the rules are loaded and can be changed. */
    health: () => Promise<Readonly<{ redis: DependencyHealth; limits: DependencyHealth }>>
    /** Which store decides now. */
    path: () => 'redis' | 'postgres'
  }>

const SWEEP_MS = 30_000

export async function openClusterLimits(options: ClusterLimitsOptions): Promise<ClusterLimits> {
  const {
    redisUrl,
    postgresUrl,
    prefix,
    clock,
    onFault,
    whenPropagated,
    connect = openRedis,
    probeMs,
    writeMs,
  } = options
  await using opened = new AsyncDisposableStack()
  const onUncounted = (counters: readonly Counter[]): void => {
    for (const counter of counters) behind.note(counter, startOf(counter.rule, NOTHING, clock()), 1, 0)
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
    new LimitSwitch({ redis, postgres: postgres.limiter, behind, onFault, ...omitUndefined({ probeMs }) }),
  )
  // A new Redis starts to see every count now, not only with the first message under a limit.
  await redis.probe().catch(() => undefined)
  const sweeper = setInterval(() => void counts.sweep(clock()).catch(() => undefined), SWEEP_MS).unref()
  opened.defer(() => clearInterval(sweeper))
  const all = opened.move()
  return {
    limiter,
    rules,
    path: () => limiter.path,
    health: async () => {
      const [ofRedis, ofPostgres] = await Promise.all([probe(() => redis.probe()), probe(() => postgres.health())])
      return { redis: ofRedis, limits: rules.isLoaded() ? ofPostgres : { ok: false, detail: NOT_LOADED } }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const NOT_LOADED = 'limits not loaded yet; none is applied until they are'
