/** One provider: how it is at a glance, then why. */
import { Link } from 'wouter'
import { may, useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { Badge, Facts } from '../../ui/parts.tsx'
import { BreakerActions } from './breaker-actions.tsx'
import { BreakerLine } from './breaker-line.tsx'
import { type ErrorCount, idOf, type Provider } from './data.ts'
import { ErrorMix } from './error-mix.tsx'
import { Recent } from './recent.tsx'
import { verdictOf } from './verdict.ts'

const T = TEXTS.providers

type Props = Readonly<{
  provider: Provider
  /** Whether it is so now, and not only as it was seen last. */
  isKnown: boolean
  errors: readonly ErrorCount[] | undefined
}>

export function ProviderCard({ provider, isKnown, errors }: Props) {
  const { name, breaker, recent } = provider
  const verdict = isKnown ? verdictOf(provider) : undefined
  const session = useSession()
  return (
    <li id={idOf(name)} className={`card provider ${verdict?.tone ?? ''}`} tabIndex={-1}>
      <header className="provider-head">
        <h2>{name}</h2>
        {verdict !== undefined && <Badge tone={verdict.tone}>{verdict.word}</Badge>}
        <p className="soft">{verdict?.why ?? T.lastSeen}</p>
      </header>
      <Facts facts={factsOf(provider)} />
      <Recent recent={recent} />
      <ErrorMix provider={name} errors={errors} />
      <footer className="provider-foot">
        <Link href={`/messages?${new URLSearchParams({ provider: name })}`}>
          {T.messages} <span className="visually-hidden">{T.actions.of(name)}</span>
        </Link>
        {may(session, 'admin') && <BreakerActions name={name} state={breaker.state} />}
      </footer>
    </li>
  )
}

const factsOf = ({ breaker, channels, connections, reports, lookup }: Provider) =>
  [
    [T.facts.breaker, <BreakerLine key="breaker" breaker={breaker} />],
    [T.facts.connections, connections === null ? undefined : T.connections(connections.up, connections.wanted)],
    [T.facts.carries, channels.map((channel) => TEXTS.overview.channels[channel]).join(', ')],
    [T.facts.reports, `${T.reports[reports]}${lookup ? T.lookup : ''}`],
  ] as const
