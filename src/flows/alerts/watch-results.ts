/** Raises alerts from the results of providers: which are worse than usual, and whether many messages become dead letters. */
import { judgeProvider, RECENT, USUAL, type Verdict } from '../../domain/alerts/degradation.ts'
import { NO_RESULTS } from '../../domain/alerts/provider-result.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import { MINUTE, type ProviderResults, RESULTS_KEPT_FOR } from '../../ports/provider-results.ts'
import { type AlertDeps, endAlerts, raiseAlert } from './raise.ts'

export type WatchResultsDeps = AlertDeps &
  Readonly<{
    providerResults: ProviderResults
    /** As many dead letters within an hour raise an alert. */
    deadLettersPerHour: number
  }>

const HOUR = seconds(60 * 60)

export async function watchResults(deps: WatchResultsDeps): Promise<void> {
  const now = deps.clock()
  await watchProviders(deps, now)
  await watchDeadLetters(deps, now)
  await deps.providerResults.forget(before(now, RESULTS_KEPT_FOR))
}

async function watchProviders(deps: WatchResultsDeps, now: Instant): Promise<void> {
  const raised = await deps.raisedAlerts.list('provider.degraded')
  const verdicts = await judgeAll(deps, now, raised)
  await endAlerts(deps, 'provider.degraded', (subject) => {
    const provider = subject as ProviderName
    const verdict = verdicts.get(provider)
    if (verdict === undefined || verdict.isDegraded) return 'holds'
    return { kind: 'provider.recovered', provider, ...verdict.rates }
  })
  for (const [provider, { isDegraded, rates }] of verdicts) {
    if (isDegraded) await raiseAlert(deps, { kind: 'provider.degraded', provider, ...rates }, now)
  }
}

/** Without providers that have too few results. */
async function judgeAll(
  { providerResults }: WatchResultsDeps,
  now: Instant,
  degraded: ReadonlyMap<string, Instant>,
): Promise<ReadonlyMap<ProviderName, Verdict>> {
  const recentFrom = before(now, RECENT)
  const recent = await providerResults.sum(recentFrom, later(now, MINUTE))
  const usual = await providerResults.sum(before(recentFrom, USUAL), recentFrom)
  const verdicts = new Map<ProviderName, Verdict>()
  for (const [provider, counts] of recent) {
    if (provider === undefined) continue
    const verdict = judgeProvider(counts, usual.get(provider) ?? NO_RESULTS, degraded.has(provider))
    if (verdict !== undefined) verdicts.set(provider, verdict)
  }
  return verdicts
}

const DEAD_LETTERS = 'dead_letters.high'

async function watchDeadLetters(deps: WatchResultsDeps, now: Instant): Promise<void> {
  const threshold = deps.deadLettersPerHour
  const sums = await deps.providerResults.sum(before(now, HOUR), later(now, MINUTE))
  const count = [...sums.values()].reduce((sum, { deadLettered }) => sum + deadLettered, 0)
  const isHigh = count >= threshold
  await endAlerts(deps, DEAD_LETTERS, () => (isHigh ? 'holds' : 'over'))
  if (isHigh) await raiseAlert(deps, { kind: DEAD_LETTERS, count, threshold, period: HOUR }, now)
}

/** To the minute: results are counted by minute. */
const before = (at: Instant, by: Millis): Instant => instant(Math.floor(later(at, millis(-by)) / MINUTE) * MINUTE)
