/**
 * The circuit breakers of the embedded profile: in memory, because one process makes all calls. Only pauses by operators
 * are in a table, too, so that they survive a restart. A breaker that opened by itself is closed after a restart.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { ProviderName } from '../../domain/ids.ts'
import { afterCall, type Breaker, type BreakerPolicy, CLOSED, type Force } from '../../domain/routing/breaker.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, instant } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import { inProcessBreakers } from '../shared/in-process-breakers.ts'
import { type Driver, remote } from './driver.ts'
import type { StoreMethods } from './store.ts'

/** A provider keeps its row when the pause is over, until it is paused again or resumed. */
export const PAUSED_BREAKER_TABLES = `
  create table paused_breakers (
    provider text primary key,
    failures integer not null,
    opened_at integer not null,
    retry_at integer not null,
    paused_at integer not null
  ) strict, without rowid;
`

/** A pause that ended before `now`, while the gateway was stopped, is over. */
export async function openBreakers(
  driver: Driver<StoreMethods>,
  policy: BreakerPolicy,
  now: Instant,
): Promise<Breakers> {
  const table = remote(driver, 'breakers')
  const breakers = inProcessBreakers(policy, await table.pausedAfter(now))
  return {
    ...breakers,

    /** Takes effect once it is stored. */
    async force(provider, to, at, pause) {
      const force: Force = omitUndefined({ kind: 'force' as const, to, at, pause })
      await table.keep(provider, afterCall(breakers.states().get(provider) ?? CLOSED, force, policy))
      await breakers.force(provider, to, at, pause)
    },
  }
}

export function breakerTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    reads: {
      pausedAfter: (now: Instant): readonly (readonly [ProviderName, Breaker])[] =>
        sql.pausedAfter.all(now).map((row) => [String(row['provider']) as ProviderName, toPaused(row)]),
    },
    writes: {
      /** Keeps a breaker that a person has changed; a closed one needs no row. */
      keep(provider: ProviderName, breaker: Breaker): void {
        sql.remove.run(provider)
        if (breaker.kind !== 'open' || breaker.pausedAt === undefined) return
        const { failures, openedAt, retryAt, pausedAt } = breaker
        sql.add.run(provider, failures, openedAt, retryAt, pausedAt)
      },
    },
  }
}

const toPaused = (row: Readonly<Record<string, unknown>>): Breaker => ({
  kind: 'open',
  failures: Number(row['failures']),
  openedAt: instant(Number(row['opened_at'])),
  retryAt: instant(Number(row['retry_at'])),
  pausedAt: instant(Number(row['paused_at'])),
})

function prepare(db: DatabaseSync) {
  return {
    pausedAfter: db.prepare('select * from paused_breakers where retry_at > ?'),
    remove: db.prepare('delete from paused_breakers where provider = ?'),
    add: db.prepare(
      'insert into paused_breakers (provider, failures, opened_at, retry_at, paused_at) values (?, ?, ?, ?, ?)',
    ),
  }
}
