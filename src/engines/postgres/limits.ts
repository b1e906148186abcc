/**
 * Limits on PostgreSQL: the rules, the durable counts, and the limiter used while Redis is unreachable. They have
 * connections of their own, so that neither searches nor contention on one counter delay them.
 */

import type { Counter } from '../../domain/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
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
  whenPropagated?: () => Promise<unknown>
}>

export type PostgresLimits = AsyncDisposable &
  Readonly<{
    rules: PostgresLimitRules
    counts: LimitCounts
    limiter: Limiter
    /** Rejects with the reason while PostgreSQL cannot be used. */
    health: () => Promise<void>
  }>

/** Connections for the rules, those of users among them, and for write-behind. */
const RULE_CONNECTIONS = 8
/** Connections for the limiter: each call holds one while its act runs. */
const LIMITER_CONNECTIONS = 16

/** Opens even while PostgreSQL is unreachable; refuses an incompatible schema. */
export async function openPostgresLimits(options: PostgresLimitsOptions): Promise<PostgresLimits> {
  const { url, clock, onFault, onUncounted, whenPropagated } = options
  await using opened = new AsyncDisposableStack()
  const shared = opened.use(new Database(openPool(url, RULE_CONNECTIONS), checkSchema))
  const crowd = opened.use(new Database(openPool(url, LIMITER_CONNECTIONS), checkSchema))
  await shared.ready().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
  })
  const rules = opened.use(await openLimitRules(omitUndefined({ db: shared, onFault, whenPropagated })))
  const all = opened.move()
  return {
    rules,
    counts: new LimitCounts(shared),
    limiter: postgresLimiter({ counts: new LimitCounts(crowd), clock, onUncounted }),
    health: async () => {
      await shared.asSystem('select')
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
