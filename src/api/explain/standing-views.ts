/** Providers, limits and quotas in explanations and preflights. Recipients are masked, users are not named. */
import { QUOTA_FIELDS } from '../../domain/access/tenant-fields.ts'
import { isUp, type ProviderStanding } from '../../domain/explanation/circumstances.ts'
import { obstacleOf } from '../../domain/explanation/summary.ts'
import type { LimitStatus } from '../../domain/limits/limits.ts'
import { toBreakerState } from '../../domain/routing/breaker.ts'
import type { MessageQuotaStanding } from '../../flows/explain/standing.ts'
import { type Instant, later, toIso } from '../../lib/time.ts'
import { isoOrNull } from '../http/schemas.ts'
import type { LimitStanding, ProviderStandingView, QuotaStanding } from './standing-schemas.ts'

/** `isFirst`: it would be called before the others. */
export function toProviderView(provider: ProviderStanding, isFirst: boolean, now: Instant): ProviderStandingView {
  const { name, breaker } = provider
  const up = isUp(provider)
  const times = breaker.kind === 'closed' ? undefined : breaker
  const isPaused = breaker.kind === 'open' && breaker.pausedAt !== undefined && breaker.retryAt > now
  return {
    name,
    up,
    breaker_state: toBreakerState(breaker, now),
    reason: up ? (isFirst ? 'first available provider' : 'fallback') : obstacleOf(provider, toIso),
    open_since: isoOrNull(times?.openedAt),
    retry_at: isoOrNull(times?.retryAt),
    paused_until: isPaused ? toIso(breaker.retryAt) : null,
  }
}

export function toProviderViews(providers: readonly ProviderStanding[], now: Instant): ProviderStandingView[] {
  const first = providers.find(isUp)
  return providers.map((provider) => toProviderView(provider, provider === first, now))
}

/** `masked` is the recipient: the key of its limit is a hash. */
export function toLimitStanding(
  { counter, used, resetsIn }: LimitStatus,
  masked: string | undefined,
  now: Instant,
): LimitStanding {
  const { scope, key, rule, setBy } = counter
  return {
    scope,
    key: scope === 'tenant' || scope === 'account' ? key : scope === 'user' ? null : (masked ?? null),
    set_by: setBy ?? null,
    limit: rule.limit,
    window_seconds: rule.window / 1000,
    used,
    remaining: Math.max(0, rule.limit - used),
    resets_at: resetsIn > 0 ? toIso(later(now, resetsIn)) : null,
    would_refuse: used >= rule.limit,
  }
}

export const toQuotaStanding = ({ quota, limit, used, isUsedUp }: MessageQuotaStanding): QuotaStanding => ({
  quota: QUOTA_FIELDS[quota],
  limit: Number.isFinite(limit) ? limit : null,
  used: used ?? null,
  would_refuse: isUsedUp,
})
