/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-10: which limits a call is under, and how far they
 * are used up. A policy is named by the scope of its limit, so the fields tell nobody's key.
 */
import type { Standing } from '../../domain/limits/limits.ts'
import type { Millis } from '../../lib/time.ts'

export type RateLimitHeaders = Readonly<{ 'ratelimit-policy'?: string; ratelimit?: string }>

/** No fields where there is no limit. */
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

/** Rounded up: whoever waits that long has waited long enough. */
const toSeconds = (time: Millis): number => Math.ceil(time / 1000)
