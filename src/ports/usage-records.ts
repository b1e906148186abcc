/**
 * How many messages were accepted and sent, by day. Counted when it happens and kept when the messages are erased or
 * deleted, so that a bill can be written at any time.
 */
import type { AccountId, TenantId } from '../domain/ids.ts'
import type { Day } from '../domain/message/usage.ts'

export const USAGE_DIMENSIONS = ['day', 'account', 'channel', 'country', 'provider'] as const
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number]

/** The values of the dimensions that a query groups by, in their order. Without a country or a provider it is empty. */
export type UsageKey = readonly (string | number)[]

/** From one day to another, including both; of one account or of all. */
export type UsageQuery = Readonly<{
  tenantId: TenantId
  accountId?: AccountId
  from: Day
  to: Day
  groupBy: readonly UsageDimension[]
  /** The key of the last record of the previous page. */
  after?: UsageKey
  limit: number
}>

/** `messages` were accepted, and have no provider; `sentMessages` were taken by a provider, whoever it was. */
export type UsageRecord = Readonly<{
  key: UsageKey
  messages: number
  segments: number
  sentMessages: number
  sentSegments: number
}>

export interface UsageRecords {
  /** In the order of keys, where texts compare by their bytes. What has just happened may be missing. */
  list(query: UsageQuery): Promise<readonly UsageRecord[]>
}
