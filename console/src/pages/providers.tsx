/** The providers page: health, circuit breaker, recent traffic and errors of each provider. */
import { useEffect } from 'react'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { PROVIDERS_TEXTS } from '../texts/providers.ts'
import { Items } from '../ui/items.tsx'
import { Empty, PageHead } from '../ui/parts.tsx'
import { idOf, type Provider, useProviders, useRecentErrors } from './providers/data.ts'
import { healthOf, isUnhealthy } from './providers/health.ts'
import { hourOf, useLastHour } from './providers/last-hour.ts'
import { ProviderCard } from './providers/provider-card.tsx'
import { usePollingError } from './providers/use-polling-error.ts'
import '../styles/providers.css'

const T = PROVIDERS_TEXTS

export function Providers() {
  const providers = useProviders()
  const { data } = providers
  const error = usePollingError(providers)
  const { data: errors } = useRecentErrors()
  const { data: hour } = useLastHour()
  useHashFocus(data !== undefined)
  return (
    <>
      <PageHead title={PAGES_TEXTS.providers} about={T.about} />
      <Items of={data?.items} error={error} empty={<Empty>{T.empty}</Empty>}>
        {(items) => (
          <>
            {error === null && <Summary providers={items} />}
            <ul className="providers">
              {items.map((provider) => (
                <ProviderCard
                  key={provider.name}
                  provider={provider}
                  isCurrent={error === null}
                  hour={hour && hourOf(hour, [provider.name])}
                  errors={errors?.items.filter((one) => one.provider === provider.name)}
                />
              ))}
            </ul>
          </>
        )}
      </Items>
    </>
  )
}

/** Focuses the provider named in the URL fragment once the cards are rendered. */
function useHashFocus(isThere: boolean): void {
  useEffect(() => {
    if (isThere && location.hash !== '') document.getElementById(location.hash.slice(1))?.focus()
  }, [isThere])
}

/** A one-line summary, announced when it changes. */
function Summary({ providers }: Readonly<{ providers: readonly Provider[] }>) {
  const unhealthy = providers.filter((provider) => isUnhealthy(healthOf(provider)))
  const tones = unhealthy.map((provider) => healthOf(provider).tone)
  const tone = tones.includes('bad') ? 'bad' : tones.length > 0 ? 'warn' : 'good'
  return (
    <div className={`note provider-summary ${tone}`} role="status">
      <strong>{T.summary(unhealthy.length, providers.length)}</strong>
      {unhealthy.map((provider) => (
        <a key={provider.name} href={`#${idOf(provider.name)}`}>
          {provider.name}: {healthOf(provider).label.toLowerCase()}
        </a>
      ))}
    </div>
  )
}
