/** The card of one provider. */
import { Link } from 'wouter'
import { hasScope, useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Badge, Facts } from '../../ui/parts.tsx'
import { BreakerActions } from './breaker-actions.tsx'
import { BreakerStatus } from './breaker-status.tsx'
import { type ErrorCount, idOf, type Provider } from './data.ts'
import { ErrorMix } from './error-mix.tsx'
import { healthOf } from './health.ts'
import { Recent } from './recent.tsx'

const T = TEXTS.providers

type Props = Readonly<{
  provider: Provider
  /** Whether the data is current, not left over from before an error. */
  isCurrent: boolean
  errors: readonly ErrorCount[] | undefined
}>

export function ProviderCard({ provider, isCurrent, errors }: Props) {
  const { name, breaker, recent } = provider
  const health = isCurrent ? healthOf(provider) : undefined
  const session = useSession()
  return (
    <li id={idOf(name)} className={`card provider ${health?.tone ?? ''}`} tabIndex={-1}>
      <header className="provider-head">
        <h2>{name}</h2>
        {health !== undefined && <Badge tone={health.tone}>{health.label}</Badge>}
        <p className="soft">{health?.reason ?? T.lastSeen}</p>
      </header>
      <Facts facts={factsOf(provider)} />
      <Recent recent={recent} />
      <ErrorMix provider={name} errors={errors} />
      <footer className="provider-foot">
        <Link href={`/messages?${new URLSearchParams({ provider: name })}`}>
          {T.messages} <span className="visually-hidden">{T.actions.of(name)}</span>
        </Link>
        {hasScope(session, 'operator') && <BreakerActions name={name} state={breaker.state} />}
      </footer>
    </li>
  )
}

const factsOf = ({ breaker, channels, connections, reports, lookup }: Provider) =>
  [
    [T.facts.breaker, <BreakerStatus key="breaker" breaker={breaker} />],
    [T.facts.connections, connections === null ? undefined : T.connections(connections.up, connections.wanted)],
    [T.facts.carries, channels.map((channel) => TEXTS.common.channels[channel]).join(', ')],
    [T.facts.reports, `${T.reports[reports]}${lookup ? T.lookup : ''}`],
  ] as const
