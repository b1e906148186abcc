/**
 * Limits in the cluster profile: the rules on PostgreSQL, the decisions in Redis, and PostgreSQL in its
 * place while it is away. Opens with either of them missing, and makes use of it when it comes.
 */
import { type Counter, NOTHING, startOf } from '../domain/limits/limits.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openRedis } from '../engines/redis/connection.ts'
import { RedisLimiter, type RedisLimiterDeps } from '../engines/redis/limiter.ts'
import type { Clock } from '../lib/clock.ts'
import type { LimitRules } from '../ports/limit-rules.ts'
import type { Limiter } from '../ports/limiter.ts'
import { reasonOf } from '../ports/unavailable.ts'
import { LimitSwitch } from './limit-switch.ts'
import { WriteBehind } from './write-behind.ts'

export type ClusterLimitsOptions = Readonly<{
  redisUrl: string
  postgresUrl: string
  /** What all names in Redis begin with, so that several installations can share it. */
  prefix: string
  clock: Clock
  /** Told once each time something is found to be away. */
  onFault: (error: unknown) => void
  /** Resolves when every healthy process has heard of a changed rule. */
  whenPropagated?: () => Promise<unknown>
  /** The way to Redis. */
  connect?: (url: string) => Promise<RedisLimiterDeps['connection'] & AsyncDisposable>
  /** How often a Redis that is away is looked for. */
  probeMs?: number
  /** How long a decision may wait to be written. */
  writeMs?: number
}>

export type Check = Readonly<{ ok: boolean; detail?: string }>

export type ClusterLimits = AsyncDisposable &
  Readonly<{
    limiter: Limiter
    rules: LimitRules
    /** `limits` is whether the rules are known and can be changed. */
    health: () => Promise<Readonly<{ redis: Check; limits: Check }>>
    /** Who decides. */
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
    await openPostgresLimits({
      url: postgresUrl,
      clock,
      onFault,
      onUncounted,
      ...(whenPropagated ? { whenPropagated } : {}),
    }),
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
      ...(writeMs === undefined ? {} : { everyMs: writeMs }),
    }),
  )
  const probing = probeMs === undefined ? {} : { probeMs }
  const limiter = opened.use(new LimitSwitch({ redis, postgres: postgres.limiter, behind, onFault, ...probing }))
  // A Redis that is new begins to see every count now, and not only with the first message under a limit.
  await redis.probe().catch(() => undefined)
  const sweeper = setInterval(() => void counts.sweep(clock()).catch(() => undefined), SWEEP_MS).unref()
  opened.defer(() => clearInterval(sweeper))
  const all = opened.move()
  return {
    limiter,
    rules,
    path: () => limiter.path,
    health: async () => {
      const [ofRedis, ofPostgres] = await Promise.all([check(() => redis.probe()), check(() => postgres.health())])
      return { redis: ofRedis, limits: rules.isLoaded() ? ofPostgres : { ok: false, detail: NOT_KNOWN } }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const NOT_KNOWN = 'the limits could not be read yet, so none is applied'

async function check(ask: () => Promise<void>): Promise<Check> {
  try {
    await ask()
    return { ok: true }
  } catch (error) {
    return { ok: false, detail: reasonOf(error) }
  }
}
