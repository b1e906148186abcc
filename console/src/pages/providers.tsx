/** The providers: which of them is in trouble, why, and the switch to leave one alone. */
import { useEffect } from 'react'
import { TEXTS } from '../texts.ts'
import { Items } from '../ui/items.tsx'
import { Empty, PageHead } from '../ui/parts.tsx'
import { idOf, type Provider, useProviders, useRecentErrors } from './providers/data.ts'
import { ProviderCard } from './providers/provider-card.tsx'
import { useTrouble } from './providers/use-trouble.ts'
import { isInTrouble, verdictOf } from './providers/verdict.ts'
import '../styles/providers.css'

const T = TEXTS.providers

export function Providers() {
  const providers = useProviders()
  const { data } = providers
  const trouble = useTrouble(providers)
  const { data: errors } = useRecentErrors()
  useArrival(data !== undefined)
  return (
    <>
      <PageHead title={TEXTS.pages.providers} about={T.about} />
      <Items of={data?.items} error={trouble} empty={<Empty>{T.empty}</Empty>}>
        {(items) => (
          <>
            {trouble === null && <Glance providers={items} />}
            <ul className="providers">
              {items.map((provider) => (
                <ProviderCard
                  key={provider.name}
                  provider={provider}
                  isKnown={trouble === null}
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

/** A link may name a provider, whose card is only there once they are known. */
function useArrival(isThere: boolean): void {
  useEffect(() => {
    if (isThere && location.hash !== '') document.getElementById(location.hash.slice(1))?.focus()
  }, [isThere])
}

/** One line that says whether to read on; announced when it changes. */
function Glance({ providers }: Readonly<{ providers: readonly Provider[] }>) {
  const troubled = providers.filter((provider) => isInTrouble(verdictOf(provider)))
  const tones = troubled.map((provider) => verdictOf(provider).tone)
  const tone = tones.includes('bad') ? 'bad' : tones.length > 0 ? 'warn' : 'good'
  return (
    <div className={`note glance ${tone}`} role="status">
      <strong>{T.glance(troubled.length, providers.length)}</strong>
      {troubled.map((provider) => (
        <a key={provider.name} href={`#${idOf(provider.name)}`}>
          {provider.name}: {verdictOf(provider).word.toLowerCase()}
        </a>
      ))}
    </div>
  )
}
