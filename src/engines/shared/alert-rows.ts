/** Reads raised alerts and the results of providers from table rows. SQLite and PostgreSQL use the same column names. */
import type { ResultCounts } from '../../domain/alerts/provider-result.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { type Instant, instant } from '../../lib/time.ts'
import type { ProviderMinute } from '../../ports/provider-results.ts'
import type { Row } from './rows.ts'

export const toSubjects = (rows: readonly Row[]): ReadonlyMap<string, Instant> =>
  new Map(rows.map(({ subject, since }) => [String(subject), instant(Number(since))]))

/** A key has no null. */
const NO_PROVIDER = ''

export const toProviderColumn = ({ provider }: ProviderMinute): string => provider ?? NO_PROVIDER

export const toResultCounts = (rows: readonly Row[]): ReadonlyMap<ProviderName | undefined, ResultCounts> =>
  new Map(
    rows.map(({ provider, succeeded, failed, dead_lettered: deadLettered }) => [
      provider === NO_PROVIDER ? undefined : (String(provider) as ProviderName),
      { succeeded: Number(succeeded), failed: Number(failed), deadLettered: Number(deadLettered) },
    ]),
  )
