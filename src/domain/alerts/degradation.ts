/**
 * Whether a provider is worse than usual: the results of the last minutes against those of the day before. A provider
 * that has always failed half of its calls is not degraded; one that fails a quarter more than usual is.
 */
import { type Millis, seconds } from '../../lib/time.ts'
import type { SuccessRates } from './alert.ts'
import type { ResultCounts } from './provider-result.ts'

export const RECENT: Millis = seconds(10 * 60)
export const USUAL: Millis = seconds(24 * 60 * 60)

/** Fewer results say nothing. */
const MIN_RECENT = 50
const MIN_USUAL = 200
/** Of its usual success rate: it is degraded below the former, and has recovered from the latter on. */
const DEGRADED = 0.8
const RECOVERED = 0.9

export type Verdict = Readonly<{ isDegraded: boolean; rates: SuccessRates }>

/** Undefined while there are too few results to tell. */
export function judgeProvider(recent: ResultCounts, usual: ResultCounts, wasDegraded: boolean): Verdict | undefined {
  const results = countOf(recent)
  if (results < MIN_RECENT || countOf(usual) < MIN_USUAL) return undefined
  const [successRate, usualRate] = [rateOf(recent), rateOf(usual)]
  const isDegraded = successRate < usualRate * (wasDegraded ? RECOVERED : DEGRADED)
  return { isDegraded, rates: { successRate, usualRate, results, period: RECENT } }
}

const countOf = ({ succeeded, failed }: ResultCounts): number => succeeded + failed

/** Three digits. */
const rateOf = (counts: ResultCounts): number => Math.round((counts.succeeded / countOf(counts)) * 1000) / 1000
