/**
 * How many sends rate limits have refused, by minute, of all processes together: nothing else is stored of them.
 * Statistics only: what a process has not added yet is lost when it crashes.
 */
import type { TenantId } from '../domain/ids.ts'
import type { Channel } from '../domain/message/message.ts'
import { type Instant, type Millis, seconds } from '../lib/time.ts'
import type { StatsQuery } from './message-index.ts'

export const LIMITED_KEPT_FOR: Millis = seconds(400 * 24 * 60 * 60)

/** `minute` is when a minute begins. */
export type LimitedMinute = Readonly<{ tenantId: TenantId; channel: Channel; minute: Instant; count: number }>

export type LimitedBucket = Readonly<{ start: Instant; channel: Channel; count: number }>

export interface LimitedSends {
  add(counts: readonly LimitedMinute[]): Promise<void>

  /** In buckets as those of message statistics, ordered by start and channel. A minute counts where it begins. */
  stats(query: StatsQuery): Promise<readonly LimitedBucket[]>

  forget(before: Instant): Promise<void>
}
