/** The sends that rate limits have refused, by minute, in a table. */
import type { DatabaseSync } from 'node:sqlite'
import type { LimitedSends } from '../../ports/limited-sends.ts'
import { toLimitedBucket } from '../shared/limited-bucket.ts'
import type { Table } from './tables.ts'

export const LIMITED_SEND_TABLES = `
  create table limited_sends (
    tenant text not null,
    minute integer not null,
    channel text not null,
    count integer not null,
    primary key (tenant, minute, channel)
  ) strict, without rowid;
`

export function limitedSendTable(db: DatabaseSync) {
  const add = db.prepare(`
    insert into limited_sends (tenant, minute, channel, count) values (?, ?, ?, ?)
    on conflict (tenant, minute, channel) do update set count = count + excluded.count
  `)
  const stats = db.prepare(`
    select minute - minute % :bucket as start, channel, sum(count) as count from limited_sends
    where tenant = :tenantId and minute >= :from and minute < :to group by 1, 2 order by 1, 2
  `)
  const forget = db.prepare('delete from limited_sends where minute < ?')
  return {
    // Statistics: answered before they are on disk.
    background: {
      add(all) {
        for (const { tenantId, minute, channel, count } of all) add.run(tenantId, minute, channel, count)
      },
      forget: (before) => void forget.run(before),
    },
    reads: { stats: (query) => stats.all(query).map(toLimitedBucket) },
  } satisfies Table<LimitedSends>
}
