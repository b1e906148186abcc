/** What needs attention now: unhealthy providers, dead letters and unknown outcomes. */
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import { toCount } from '../../ui/numbers.ts'
import { Badge, type Tone } from '../../ui/parts.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { idOf, type Provider, useProviders } from '../providers/data.ts'
import { healthOf, isUnhealthy } from '../providers/health.ts'
import { Reason } from '../providers/reason.tsx'
import { usePollingError } from '../providers/use-polling-error.ts'
import { COUNT_LIMIT, type Stuck, useStuckNow } from './data.ts'

const T = OVERVIEW_TEXTS.attention

type Item = Readonly<{ key: string; tone: Tone; href: string; label: string; reason: ReactNode }>

export function Attention() {
  const [providersQuery, stuckQuery] = [useProviders(), useStuckNow()]
  const [providersError, stuckError] = [usePollingError(providersQuery), usePollingError(stuckQuery)]
  const [providers, stuck] = [providersQuery.data, stuckQuery.data]
  if ((providers === undefined && providersError === null) || (stuck === undefined && stuckError === null)) {
    return <Skeleton height={CALM_HEIGHT} />
  }
  const items = [
    ...(providers?.items ?? []).flatMap(toProviderItems),
    ...(stuck === undefined ? [] : toStuckItems(stuck)),
  ]
  if (items.length === 0) {
    const isComplete = providers !== undefined && stuck !== undefined
    return isComplete ? <Calm providers={providers.items.length} /> : <div className="note">{T.partly}</div>
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

/** As high as its place while it loads. */
const CALM_HEIGHT = 56

/** What was checked. */
const Calm = ({ providers }: Readonly<{ providers: number }>) => (
  <section className="card calm">
    <CircleCheck aria-hidden="true" />
    <strong>{T.calm}</strong>
    <ul>
      {[T.healthy(providers), T.noDead, T.noUnknown].map((words) => (
        <li key={words}>{words}</li>
      ))}
    </ul>
  </section>
)

function toProviderItems(provider: Provider): readonly Item[] {
  const health = healthOf(provider)
  if (!isUnhealthy(health)) return []
  const { name } = provider
  const { tone, label } = health
  const href = `/providers#${idOf(name)}`
  return [{ key: name, tone, href, label: T.provider(name, label), reason: <Reason provider={provider} /> }]
}

function toStuckItems({ dead, unknown }: Stuck): readonly Item[] {
  const count = unknown === COUNT_LIMIT ? OVERVIEW_TEXTS.tiles.atLeast(toCount(unknown)) : toCount(unknown)
  const letters = { href: '/dead-letters', label: T.dead(toCount(dead), dead === 1), reason: T.deadWhy }
  const unknowns = { href: '/messages?unknown=true', label: T.unknown(count, unknown === 1), reason: T.unknownWhy }
  return [
    ...(dead === 0 ? [] : [{ key: 'dead', tone: 'bad' as const, ...letters }]),
    ...(unknown === 0 ? [] : [{ key: 'unknown', tone: 'warn' as const, ...unknowns }]),
  ]
}
