/**
 * Limits on PostgreSQL: the rules, the truth about the counts, and the limiter that takes over from Redis.
 * They have connections of their own, so that neither search nor a crowd before one counter is in their way.
 */
import type { Counter } from '../../domain/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { Database, openPool } from './database.ts'
import { LimitCounts } from './limit-counts.ts'
import { openLimitRules, type PostgresLimitRules } from './limit-rules.ts'
import { postgresLimiter } from './limiter.ts'
import { checkSchema } from './schema.ts'

export type PostgresLimitsOptions = Readonly<{
  url: string
  clock: Clock
  onFault: (error: unknown) => void
  onUncounted: (counters: readonly Counter[]) => void
  settle?: () => Promise<unknown>
}>

export type PostgresLimits = AsyncDisposable &
  Readonly<{
    rules: PostgresLimitRules
    counts: LimitCounts
    limiter: Limiter
    /** Rejects while it cannot be used, by an error that says why. */
    health: () => Promise<void>
  }>

/** For the rules, and for what is written behind. */
const QUIET = 3
/** Each holds one connection while its act runs. */
const CROWD = 16

/** Opens also while PostgreSQL is away; wrong tables are refused. */
export async function openPostgresLimits(options: PostgresLimitsOptions): Promise<PostgresLimits> {
  const { url, clock, onFault, onUncounted, settle } = options
  await using opened = new AsyncDisposableStack()
  const quiet = opened.use(new Database(openPool(url, QUIET), checkSchema))
  const crowd = opened.use(new Database(openPool(url, CROWD), checkSchema))
  await quiet.ready().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
  })
  const rules = opened.use(await openLimitRules({ db: quiet, onFault, ...(settle === undefined ? {} : { settle }) }))
  const all = opened.move()
  return {
    rules,
    counts: new LimitCounts(quiet),
    limiter: postgresLimiter({ counts: new LimitCounts(crowd), clock, onUncounted }),
    health: async () => {
      await quiet.asSystem('select')
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
