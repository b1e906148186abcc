/** A row of the statistics of refused sends. */
import { instant } from '../../lib/time.ts'
import type { LimitedBucket } from '../../ports/limited-sends.ts'

export const toLimitedBucket = (row: Readonly<Record<string, unknown>>): LimitedBucket => ({
  start: instant(Number(row['start'])),
  channel: row['channel'] as LimitedBucket['channel'],
  count: Number(row['count']),
})
