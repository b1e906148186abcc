/**
 * How many results of each provider were good and bad, by minute, of all processes together. Statistics only: what a
 * process has not added yet is lost when it crashes.
 */
import type { ResultCounts } from '../domain/alerts/provider-result.ts'
import type { ProviderName } from '../domain/ids.ts'
import { type Instant, type Millis, seconds } from '../lib/time.ts'

export const MINUTE: Millis = seconds(60)
/** Long enough to know what is usual. */
export const RESULTS_KEPT_FOR: Millis = seconds(25 * 60 * 60)

/** Without a provider: dead letters of messages that no provider got. */
export type ProviderMinute = ResultCounts & Readonly<{ provider?: ProviderName; minute: Instant }>

export interface ProviderResults {
  /** `minute` is when a minute begins. */
  add(counts: readonly ProviderMinute[]): Promise<void>

  /** The sums of all minutes that begin from `from` to before `to`; undefined is no provider. */
  sum(from: Instant, to: Instant): Promise<ReadonlyMap<ProviderName | undefined, ResultCounts>>

  forget(before: Instant): Promise<void>
}
