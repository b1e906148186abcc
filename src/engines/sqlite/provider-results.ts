/** The results of providers by minute, in a table. */
import type { DatabaseSync } from 'node:sqlite'
import type { ProviderResults } from '../../ports/provider-results.ts'
import { toProviderColumn, toResultCounts } from '../shared/alert-rows.ts'
import type { Table } from './tables.ts'

export const PROVIDER_RESULT_TABLES = `
  -- \`provider\` is empty for messages that no provider got.
  create table provider_results (
    minute integer not null,
    provider text not null,
    succeeded integer not null,
    failed integer not null,
    dead_lettered integer not null,
    primary key (minute, provider)
  ) strict, without rowid;
`

export function providerResultTable(db: DatabaseSync) {
  const add = db.prepare(`
    insert into provider_results (minute, provider, succeeded, failed, dead_lettered)
    values (:minute, :provider, :succeeded, :failed, :deadLettered)
    on conflict (minute, provider) do update set succeeded = succeeded + excluded.succeeded,
      failed = failed + excluded.failed, dead_lettered = dead_lettered + excluded.dead_lettered
  `)
  const sum = db.prepare(`
    select provider, sum(succeeded) as succeeded, sum(failed) as failed, sum(dead_lettered) as dead_lettered
    from provider_results where minute >= ? and minute < ? group by provider order by provider
  `)
  const forget = db.prepare('delete from provider_results where minute < ?')
  return {
    // Statistics: answered before they are on disk.
    background: {
      add(all) {
        for (const counts of all) add.run({ ...counts, provider: toProviderColumn(counts) })
      },
      forget: (before) => void forget.run(before),
    },
    reads: { sum: (from, to) => toResultCounts(sum.all(from, to)) },
  } satisfies Table<ProviderResults>
}
