/** What needs attention now: unhealthy providers, dead letters and unknown outcomes. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { TEXTS } from '../../texts.ts'
import { toCount } from '../../ui/numbers.ts'
import { Badge, type Tone } from '../../ui/parts.tsx'
import { Until } from '../providers/countdown.tsx'
import { idOf, type Provider, useProviders } from '../providers/data.ts'
import { healthOf, isUnhealthy } from '../providers/health.ts'
import { usePollingError } from '../providers/use-polling-error.ts'
import { COUNT_LIMIT, type Stuck, useStuckNow } from './data.ts'

const T = TEXTS.overview.attention

type Item = Readonly<{ key: string; tone: Tone; href: string; label: string; reason: ReactNode }>

export function Attention() {
  const [providersQuery, stuckQuery] = [useProviders(), useStuckNow()]
  const [providersError, stuckError] = [usePollingError(providersQuery), usePollingError(stuckQuery)]
  const [providers, stuck] = [providersQuery.data, stuckQuery.data]
  if ((providers === undefined && providersError === null) || (stuck === undefined && stuckError === null)) {
    return <div className="note attention">{TEXTS.common.loading}</div>
  }
  const items = [
    ...(providers?.items ?? []).flatMap(toProviderItems),
    ...(stuck === undefined ? [] : toStuckItems(stuck)),
  ]
  if (items.length === 0) {
    const isComplete = providers !== undefined && stuck !== undefined
    return <div className={`note attention ${isComplete ? 'good' : ''}`}>{isComplete ? T.calm : T.partly}</div>
  }
  return (
    <section className="card attention">
      <h2>{T.title}</h2>
      <ul>
        {items.map(({ key, tone, href, label, reason }) => (
          <li key={key}>
            <Badge tone={tone}>
              <Link href={href}>{label}</Link>
            </Badge>
            <span className="soft">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function toProviderItems(provider: Provider): readonly Item[] {
  const health = healthOf(provider)
  if (!isUnhealthy(health)) return []
  const { name, breaker } = provider
  const { tone, label, reason } = health
  const retry = breaker.state === 'open' ? breaker.retry_at : null
  const detail =
    retry === null ? (
      reason
    ) : (
      <>
        {T.retry} <Until at={retry} />
      </>
    )
  return [
    { key: name, tone, href: `/providers#${idOf(name)}`, label: `${name}: ${label.toLowerCase()}`, reason: detail },
  ]
}

function toStuckItems({ dead, unknown }: Stuck): readonly Item[] {
  const count = unknown === COUNT_LIMIT ? TEXTS.overview.tiles.atLeast(toCount(unknown)) : toCount(unknown)
  const letters = { href: '/dead-letters', label: T.dead(toCount(dead), dead === 1), reason: T.deadWhy }
  const unknowns = { href: '/messages?unknown=true', label: T.unknown(count, unknown === 1), reason: T.unknownWhy }
  return [
    ...(dead === 0 ? [] : [{ key: 'dead', tone: 'bad' as const, ...letters }]),
    ...(unknown === 0 ? [] : [{ key: 'unknown', tone: 'warn' as const, ...unknowns }]),
  ]
}
