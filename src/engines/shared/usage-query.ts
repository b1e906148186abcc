/** The SQL of usage records, which is nearly the same on every engine. */
import type { UsageQuery, UsageRecord } from '../../ports/usage-records.ts'

/** Writes the place of a value, such as `?` or `$1`. */
type Place = (value: string | number) => string

/**
 * `records` have the columns of the dimensions, `tenant`, `sent`, `messages` and `segments`. The condition compares
 * columns, so that an index can be used.
 */
export function toUsageSql(records: (where: string) => string, query: UsageQuery, place: Place): string {
  const { tenantId, accountId, from, to, groupBy, after, limit } = query
  const columns = groupBy.join(', ')
  const where = [
    `tenant = ${place(tenantId)}`,
    `day between ${place(from)} and ${place(to)}`,
    ...(accountId === undefined ? [] : [`account = ${place(accountId)}`]),
    ...(after === undefined || after.length === 0 ? [] : [`(${columns}) > (${after.map(place).join(', ')})`]),
  ].join(' and ')
  const [selected, grouping, order] =
    columns === '' ? ['', '', ''] : [`${columns},`, `group by ${columns}`, `order by ${columns}`]
  return `
    select ${selected} coalesce(sum(messages) filter (where not sent), 0) as messages,
      coalesce(sum(segments) filter (where not sent), 0) as segments,
      coalesce(sum(messages) filter (where sent), 0) as sent_messages,
      coalesce(sum(segments) filter (where sent), 0) as sent_segments
    from (${records(where)}) as records ${grouping} having sum(messages) <> 0 ${order} limit ${place(limit)}
  `
}

export const toUsageRecord = (row: Readonly<Record<string, unknown>>, groupBy: UsageQuery['groupBy']): UsageRecord => ({
  key: groupBy.map((dimension) => (dimension === 'day' ? Number(row[dimension]) : String(row[dimension]))),
  messages: Number(row['messages']),
  segments: Number(row['segments']),
  sentMessages: Number(row['sent_messages']),
  sentSegments: Number(row['sent_segments']),
})
