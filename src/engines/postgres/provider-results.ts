/** The results of providers by minute, of all processes of the cluster. */
import type { ProviderResults } from '../../ports/provider-results.ts'
import { toProviderColumn, toResultCounts } from '../shared/alert-rows.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database } from './database.ts'

/** In one order, so that processes that add at once never deadlock. */
const ADD = `
  insert into pombo.provider_results as known (minute, provider, succeeded, failed, dead_lettered)
  select minute, provider, sum(succeeded), sum(failed), sum(dead_lettered)
  from unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
    as added (minute, provider, succeeded, failed, dead_lettered)
  group by 1, 2 order by 1, 2
  on conflict (minute, provider) do update set succeeded = known.succeeded + excluded.succeeded,
    failed = known.failed + excluded.failed, dead_lettered = known.dead_lettered + excluded.dead_lettered
`
const SUM = `
  select provider, sum(succeeded) as succeeded, sum(failed) as failed, sum(dead_lettered) as dead_lettered
  from pombo.provider_results where minute >= $1 and minute < $2 group by provider order by provider
`
const FORGET = 'delete from pombo.provider_results where minute < $1'

export const postgresProviderResults = (db: Database): ProviderResults => ({
  async add(all) {
    if (all.length === 0) return
    await db.asSystem(ADD, [
      ARRAYS.bigint(all.map(({ minute }) => minute)),
      ARRAYS.text(all.map(toProviderColumn)),
      ARRAYS.bigint(all.map(({ succeeded }) => succeeded)),
      ARRAYS.bigint(all.map(({ failed }) => failed)),
      ARRAYS.bigint(all.map(({ deadLettered }) => deadLettered)),
    ])
  },
  sum: async (from, to) => toResultCounts(await db.asSystem(SUM, [from, to])),
  async forget(before) {
    await db.asSystem(FORGET, [before])
  },
})
