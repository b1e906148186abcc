/**
 * The headers of draft-ietf-httpapi-ratelimit-headers-10: the limits a call is under, and how much of them is used.
 * A policy has the name of its limit's scope, so the headers reveal no recipient.
 */
import type { LimitStatus } from '../../domain/limits/limits.ts'
import type { Millis } from '../../lib/time.ts'

export type RateLimitHeaders = Readonly<{ 'ratelimit-policy'?: string; ratelimit?: string }>

export function rateLimitHeaders(limits: readonly LimitStatus[] = []): RateLimitHeaders {
  if (limits.length === 0) return {}
  return {
    'ratelimit-policy': limits.map(toPolicy).join(', '),
    ratelimit: limits.map(toLimit).join(', '),
  }
}

const toPolicy = ({ counter: { scope, rule } }: LimitStatus): string =>
  `"${scope}";q=${rule.limit};w=${toSeconds(rule.window)}`

const toLimit = ({ counter: { scope, rule }, used, resetsIn }: LimitStatus): string =>
  `"${scope}";r=${Math.max(0, rule.limit - used)};t=${toSeconds(resetsIn)}`

/** Rounded up, so that nobody retries too early. */
const toSeconds = (time: Millis): number => Math.ceil(time / 1000)
