/** What is kept until when, in the words of `pombo doctor`. */
import type { RetentionRule } from '../domain/message/retention.ts'
import { type Instant, toIso } from '../lib/time.ts'
import type { Config } from './config.ts'
import { logAgeOf, retentionPolicyOf } from './retention.ts'

type Settings = Pick<Config, 'profile' | 'logDays' | 'retentionDays' | 'retentionRules' | 'tenants'>

const DAY_MS = 24 * 60 * 60 * 1000

/** The retention of messages, and in a cluster that of its log. */
export function retentionInWords(config: Settings): string {
  const { days, rules } = retentionPolicyOf(config)
  const byDefault =
    days === undefined
      ? 'messages are kept forever'
      : `messages are deleted ${toDays(days)} after they were created, once they have ended`
  const logAge = config.profile === 'cluster' ? logAgeOf(config) : undefined
  const ofLog = logAge === undefined ? [] : [`the log drops events after ${toDays(logAge / DAY_MS)}`]
  const ofTenants = config.tenants.flatMap(({ id, retentionDays }) =>
    retentionDays === undefined ? [] : [`of tenant ${id}: deleted after at most ${toDays(retentionDays)}`],
  )
  return [byDefault, ...rules.map(toException), ...ofTenants, ...ofLog].join('; ')
}

const toDays = (days: number): string => `${days} ${days === 1 ? 'day' : 'days'}`

function toException({ tenantId, channel, days }: RetentionRule): string {
  const scope = [
    ...(tenantId === undefined ? [] : [`of tenant ${tenantId}`]),
    ...(channel === undefined ? [] : [`by ${channel}`]),
  ]
  return `${scope.join(' ')}: ${days === 0 ? 'kept forever' : `deleted after ${toDays(days)}`}`
}

export const storedInWords = ({ messages, oldest }: Readonly<{ messages: number; oldest?: Instant }>): string =>
  oldest === undefined ? 'none' : `about ${messages.toLocaleString('en')}, the oldest from ${toIso(oldest)}`

/** What outlives the messages it belongs to. */
export const KEPT_APART =
  'suppressions, limits, recipients, templates, routes, domains and webhook endpoints until you delete them; erasures and their receipts forever; webhook deliveries, their attempts and carrier references for 7 days; log lines and backups as long as you keep them'
