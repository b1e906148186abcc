/** Providers that report how their calls end and how long they take, for the metrics. */
import type { ProviderName } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { LookupResult, Provider } from '../../ports/provider.ts'
import type { ProviderMetrics } from './provider-metrics.ts'

type OnCalled = ProviderMetrics['onCalled']

export const observedProviders = (
  providers: ReadonlyMap<ProviderName, Provider>,
  onCalled: OnCalled,
): ReadonlyMap<ProviderName, Provider> =>
  new Map([...providers].map(([name, provider]) => [name, observedProvider(provider, onCalled)]))

function observedProvider(provider: Provider, onCalled: OnCalled): Provider {
  const { name } = provider

  function measure<Outcome extends SendOutcome | LookupResult>(
    operation: 'send' | 'lookup',
    call: Promise<Outcome>,
  ): Promise<Outcome> {
    const begunAt = performance.now()
    return call.then((outcome) => {
      onCalled(name, operation, toResult(outcome), (performance.now() - begunAt) / 1000)
      return outcome
    })
  }

  const { send, lookup } = provider
  const observed: Provider = { ...provider, send: (...call) => measure('send', send(...call)) }
  return lookup === undefined ? observed : { ...observed, lookup: (...call) => measure('lookup', lookup(...call)) }
}

/** A provider that takes nothing from us, whatever the message, does not count as one that refuses a message. */
const toResult = (outcome: SendOutcome | LookupResult): string =>
  outcome.kind === 'rejected' && outcome.blame === 'provider' ? 'provider_rejected' : outcome.kind
