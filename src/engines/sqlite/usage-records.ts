/** Usage records of the embedded profile, read on a connection of their own. messages/usage-counts.ts writes them. */
import type { DatabaseSync } from 'node:sqlite'
import type { UsageRecords } from '../../ports/usage-records.ts'
import { toUsageRecord, toUsageSql } from '../shared/usage-query.ts'
import { type Driver, remote } from './driver.ts'
import { fileAll, type SearchMethods, SOON_MS } from './message-index.ts'
import type { StoreMethods } from './store.ts'
import type { Table } from './tables.ts'

export const usageRecordList = (db: DatabaseSync) =>
  ({
    reads: {
      list(query) {
        const values: (string | number)[] = []
        const sql = toUsageSql(records, query, (value) => {
          values.push(value)
          return '?'
        })
        return db
          .prepare(sql)
          .all(...values)
          .map((row) => toUsageRecord(row, query.groupBy))
      },
    },
  }) satisfies Table<UsageRecords>

const records = (where: string): string => `
  select day, account, channel, country, provider, sent, messages + deleted_messages as messages,
    segments + deleted_segments as segments
  from usage_records where ${where}
`

export function sqliteUsageRecords(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): UsageRecords {
  const [filing, filed] = [remote(writer, 'index'), remote(reader, 'usageRecords')]
  return {
    async list(query) {
      await fileAll(filing, SOON_MS)
      return filed.list(query)
    },
  }
}
