/**
 * The headers of draft-ietf-httpapi-ratelimit-headers-10: the limits a call is under, and how much of them is used.
 * A policy has the name of its limit's scope, so the headers reveal no recipient.
 */
import type { Standing } from '../../domain/limits/limits.ts'
import type { Millis } from '../../lib/time.ts'

export type RateLimitHeaders = Readonly<{ 'ratelimit-policy'?: string; ratelimit?: string }>

export function rateLimitHeaders(standings: readonly Standing[]): RateLimitHeaders {
  if (standings.length === 0) return {}
  return {
    'ratelimit-policy': standings.map(toPolicy).join(', '),
    ratelimit: standings.map(toLimit).join(', '),
  }
}

const toPolicy = ({ counter: { scope, rule } }: Standing): string =>
  `"${scope}";q=${rule.limit};w=${toSeconds(rule.window)}`

const toLimit = ({ counter: { scope, rule }, used, resetsIn }: Standing): string =>
  `"${scope}";r=${Math.max(0, rule.limit - used)};t=${toSeconds(resetsIn)}`

/** Rounded up, so that nobody retries too early. */
const toSeconds = (time: Millis): number => Math.ceil(time / 1000)
