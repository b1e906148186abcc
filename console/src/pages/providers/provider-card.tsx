/** One provider: its state and why, the last hour at a glance, and details on demand. */
import { useState } from 'react'
import { Link } from 'wouter'
import { hasScope, useSession } from '../../api/session.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { PROVIDERS_TEXTS } from '../../texts/providers.ts'
import { toLatency } from '../../ui/latency.ts'
import { toCount, toShare } from '../../ui/numbers.ts'
import { Badge, Facts } from '../../ui/parts.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { Ago } from '../../ui/time.tsx'
import { BreakerActions } from './breaker-actions.tsx'
import { type ErrorCount, idOf, type Provider } from './data.ts'
import { ErrorMix, messagesWith } from './error-mix.tsx'
import { healthOf, isUnhealthy } from './health.ts'
import type { HourOf } from './last-hour.ts'
import { Reason } from './reason.tsx'
import { Recent } from './recent.tsx'
import { successOf } from './tally.ts'

const T = PROVIDERS_TEXTS

type Props = Readonly<{
  provider: Provider
  /** Whether the data is current, not left over from before an error. */
  isCurrent: boolean
  errors: readonly ErrorCount[] | undefined
  hour: HourOf | undefined
}>

export function ProviderCard({ provider, isCurrent, errors, hour }: Props) {
  const { name, breaker } = provider
  const health = isCurrent ? healthOf(provider) : undefined
  const session = useSession()
  return (
    <li id={idOf(name)} className={`card provider ${health?.tone ?? ''}`} tabIndex={-1}>
      <header className="provider-head">
        <h2>{name}</h2>
        {health !== undefined && <Badge tone={health.tone}>{health.label}</Badge>}
        <p className="soft">{health === undefined ? T.lastSeen : <Reason provider={provider} />}</p>
        {hasScope(session, 'operator') && <BreakerActions name={name} breaker={breaker} />}
      </header>
      <LastHour name={name} hour={hour} />
      <LastError provider={name} errors={errors} />
      <Details provider={provider} errors={errors} isOpenFirst={health !== undefined && isUnhealthy(health)} />
    </li>
  )
}

function LastHour({ name, hour }: Readonly<{ name: string; hour: HourOf | undefined }>) {
  const success = hour && successOf(hour.counted)
  const p95 = hour?.p95s.findLast((value) => value !== null)
  const figures = [
    {
      title: T.hour.volume,
      value: hour === undefined ? T.nothing : toCount(hour.counted.messages),
      chart: <Sparkline values={hour?.volumes ?? []} />,
    },
    {
      title: T.hour.deliveryRate,
      value: success === undefined ? T.nothing : toShare(success),
      chart: <Sparkline values={hour?.deliveryRates ?? []} top={1} tone="good" />,
    },
    {
      title: T.hour.p95,
      value: p95 === undefined || p95 === null ? T.nothing : toLatency(p95),
      chart: <Sparkline values={hour?.p95s ?? []} tone="soft" />,
    },
  ]
  return (
    <dl className="provider-hour" aria-label={T.hour.title(name)}>
      {figures.map(({ title, value, chart }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            <strong className="nums">{value}</strong>
            {chart}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The error that was seen last, with the messages that have it. */
function LastError({ provider, errors = [] }: Readonly<{ provider: string; errors: Props['errors'] }>) {
  const last = errors.toSorted((one, other) => other.newest_at.localeCompare(one.newest_at))[0]
  if (last === undefined) return <p className="soft provider-last">{T.errors.noneInHour}</p>
  return (
    <p className="soft provider-last">
      {T.errors.last}{' '}
      <Link href={messagesWith(provider, last)}>
        <span className="mono">{last.error_code}</span>
      </Link>{' '}
      <Ago at={last.newest_at} />, {T.errors.inHour(toCount(last.count), last.count === 1)}
    </p>
  )
}

type DetailsProps = Readonly<{ provider: Provider; errors: Props['errors']; isOpenFirst: boolean }>

function Details({ provider, errors, isOpenFirst }: DetailsProps) {
  const { name, recent, channels, connections, reports, lookup, breaker } = provider
  const [open, setOpen] = useState(isOpenFirst || location.hash === `#${idOf(name)}`)
  return (
    <details className="provider-more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {T.details} <span className="visually-hidden">{T.actions.of(name)}</span>
      </summary>
      {open && (
        <div className="provider-details">
          <div>
            <h3>{T.facts.title}</h3>
            <Facts
              facts={[
                [T.facts.breaker, T.breaker.states[breaker.state](breaker.consecutive_failures)],
                [
                  T.facts.connections,
                  connections === null ? undefined : T.connections(connections.up, connections.wanted),
                ],
                [T.facts.carries, channels.map((channel) => COMMON_TEXTS.channels[channel]).join(', ')],
                [T.facts.reports, `${T.reports[reports]}${lookup ? T.lookup : ''}`],
              ]}
            />
            <Link href={`/messages?${new URLSearchParams({ provider: name })}`}>
              {T.messages} <span className="visually-hidden">{T.actions.of(name)}</span>
            </Link>
          </div>
          <Recent recent={recent} />
          <ErrorMix provider={name} errors={errors} />
        </div>
      )}
    </details>
  )
}
