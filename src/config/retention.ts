/** How long messages are kept, from the settings and the configuration file, and the log's share in it. */
import type { Tenant } from '../domain/access/tenant.ts'
import { LOG_MARGIN, longestRetention, type RetentionPolicy } from '../domain/message/retention.ts'
import { type Millis, millis, seconds } from '../lib/time.ts'
import type { Config } from './config.ts'

export const retentionPolicyOf = ({
  retentionDays,
  retentionRules,
}: Pick<Config, 'retentionDays' | 'retentionRules'>): RetentionPolicy => ({
  ...(retentionDays > 0 && { days: retentionDays }),
  rules: retentionRules,
})

/** The same, with the retention that tenants have of their own. */
export const withTenants = (policy: RetentionPolicy, tenants: readonly Tenant[]): RetentionPolicy => ({
  ...policy,
  mostDays: new Map(
    tenants.flatMap(({ id, retentionDays }) => (retentionDays === undefined ? [] : [[id, retentionDays] as const])),
  ),
})

/**
 * After how long the log of the cluster drops events; undefined means never. It drops them by age alone, so without a
 * setting of its own it keeps them well beyond the retention of all messages, which deletes them before.
 */
export function logAgeOf(config: Pick<Config, 'logDays' | 'retentionDays' | 'retentionRules'>): Millis | undefined {
  if (config.logDays > 0) return seconds(config.logDays * 24 * 60 * 60)
  const longest = longestRetention(retentionPolicyOf(config))
  return longest === undefined ? undefined : millis(longest + LOG_MARGIN)
}
