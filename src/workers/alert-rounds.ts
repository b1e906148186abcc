/** Looks for what turned, in rounds: of all processes, one looks at a time. */
import { type ClearQuotasDeps, clearQuotas } from '../flows/alerts/clear-quotas.ts'
import { type WatchBreakersDeps, watchBreakers } from '../flows/alerts/watch-breakers.ts'
import { type WatchResultsDeps, watchResults } from '../flows/alerts/watch-results.ts'
import type { Clock } from '../lib/clock.ts'
import { later, type Millis, millis, seconds } from '../lib/time.ts'
import type { RoundLock } from '../ports/round-lock.ts'

export type AlertRoundsDeps = WatchBreakersDeps &
  WatchResultsDeps &
  ClearQuotasDeps &
  Readonly<{ rounds: RoundLock; clock: Clock }>

/** How often a process tries to begin a round. Breakers are also looked at when one turns. */
export const BREAKER_ROUND_EVERY_MS = 5_000
export const ALERT_ROUND_EVERY_MS = 60_000
/** Other processes are not exactly as late. */
const SOONER = seconds(1)

export async function breakerRound(deps: AlertRoundsDeps): Promise<void> {
  if (await begins(deps, 'breaker-alerts', BREAKER_ROUND_EVERY_MS)) await watchBreakers(deps)
}

export async function alertRound(deps: AlertRoundsDeps): Promise<void> {
  if (!(await begins(deps, 'alerts', ALERT_ROUND_EVERY_MS))) return
  await watchResults(deps)
  await clearQuotas(deps)
}

async function begins({ rounds, clock }: AlertRoundsDeps, name: string, everyMs: number): Promise<boolean> {
  const now = clock()
  const rest: Millis = millis(SOONER - everyMs)
  return (await rounds.begin(name, now, later(now, rest))) !== undefined
}
