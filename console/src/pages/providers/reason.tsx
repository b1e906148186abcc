/** Why a provider is in its state, in words. */
import { Link } from 'wouter'
import { hasScope, useSession } from '../../api/session.ts'
import { PROVIDERS_TEXTS } from '../../texts/providers.ts'
import { ShortTime, Until } from './countdown.tsx'
import type { Provider } from './data.ts'
import { healthOf } from './health.ts'

const T = PROVIDERS_TEXTS.breaker

export function Reason({ provider }: Readonly<{ provider: Provider }>) {
  const { breaker } = provider
  if (breaker.state !== 'open') return <>{healthOf(provider).reason}</>
  return breaker.paused_at === null ? <OpenedByItself breaker={breaker} /> : <Paused provider={provider} />
}

function OpenedByItself({ breaker }: Pick<Provider, 'breaker'>) {
  const { opened_at: openedAt, retry_at: retryAt, consecutive_failures: failures } = breaker
  return (
    <>
      {T.open} {openedAt !== null && <ShortTime at={openedAt} />} {T.because(failures)}
      {retryAt !== null && (
        <>
          {T.nextTest} <Until at={retryAt} />
        </>
      )}
      .
    </>
  )
}

/** The audit log has who paused it. */
function Paused({ provider: { name, breaker } }: Readonly<{ provider: Provider }>) {
  const session = useSession()
  return (
    <>
      {T.pausedUntil} {breaker.retry_at !== null && <ShortTime at={breaker.retry_at} />}
      {T.pausedSince} {breaker.paused_at !== null && <ShortTime at={breaker.paused_at} />}.{' '}
      {hasScope(session, 'operator') && (
        <Link href={`/audit-log?${new URLSearchParams({ action: 'breaker.tripped', target: name })}`}>{T.who}</Link>
      )}
    </>
  )
}
