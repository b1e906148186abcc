/** The sends that rate limits have refused, by minute, of all processes of the cluster. */
import type { LimitedSends } from '../../ports/limited-sends.ts'
import { toLimitedBucket } from '../shared/limited-bucket.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database } from './database.ts'

/** In one order, so that processes that add at once never deadlock. */
const ADD = `
  insert into pombo.limited_sends as known (tenant, minute, channel, count)
  select tenant, minute, channel, sum(count)
  from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) as added (tenant, minute, channel, count)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (tenant, minute, channel) do update set count = known.count + excluded.count
`
const STATS = `
  select minute / $2::bigint * $2::bigint as start, channel, sum(count) as count from pombo.limited_sends
  where tenant = $1 and minute >= $3 and minute < $4 group by 1, 2 order by 1, 2
`
const FORGET = 'delete from pombo.limited_sends where minute < $1'

export const postgresLimitedSends = (db: Database): LimitedSends => ({
  async add(all) {
    if (all.length === 0) return
    await db.asSystem(ADD, [
      ARRAYS.text(all.map(({ tenantId }) => tenantId)),
      ARRAYS.bigint(all.map(({ minute }) => minute)),
      ARRAYS.text(all.map(({ channel }) => channel)),
      ARRAYS.bigint(all.map(({ count }) => count)),
    ])
  },
  async stats({ tenantId, from, to, bucket }) {
    const rows = await db.asTenant(tenantId, STATS, [tenantId, bucket, from, to])
    return rows.map(toLimitedBucket)
  },
  async forget(before) {
    await db.asSystem(FORGET, [before])
  },
})
