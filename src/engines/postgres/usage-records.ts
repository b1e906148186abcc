/** Usage records of the cluster profile. Triggers of the index write them: see the migration of their table. */
import type { UsageRecords } from '../../ports/usage-records.ts'
import { toUsageRecord, toUsageSql } from '../shared/usage-query.ts'
import type { Database } from './database.ts'

export const postgresUsageRecords = (db: Pick<Database, 'asTenant'>): UsageRecords => ({
  async list(query) {
    const values: (string | number)[] = []
    const sql = toUsageSql(records, query, (value) => `$${values.push(value)}`)
    const rows = await db.asTenant(query.tenantId, sql, values)
    return rows.map((row) => toUsageRecord(row, query.groupBy))
  },
})

const records = (where: string): string => `
  select day, account, channel, country, provider, sent,
    greatest(messages, cleared_messages) + deleted_messages as messages,
    greatest(segments, cleared_segments) + deleted_segments as segments
  from pombo.usage_records where ${where}
`
