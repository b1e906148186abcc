/** Raises an alert for every circuit breaker that is not closed. All processes know since when it is open. */
import type { ProviderName } from '../../domain/ids.ts'
import type { Instant } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import { type AlertDeps, endAlerts, raiseAlert } from './raise.ts'

export type WatchBreakersDeps = AlertDeps & Readonly<{ breakers: Pick<Breakers, 'states'> }>

const OPENED = 'provider.breaker_opened'

export async function watchBreakers(deps: WatchBreakersDeps): Promise<void> {
  const open = openBreakers(deps)
  await endAlerts(deps, OPENED, (subject, openedAt) => {
    const provider = subject as ProviderName
    return open.get(provider) === openedAt ? 'holds' : { kind: 'provider.breaker_closed', provider, openedAt }
  })
  for (const [provider, openedAt] of open) await raiseAlert(deps, { kind: OPENED, provider, openedAt }, openedAt)
}

const openBreakers = ({ breakers }: WatchBreakersDeps): ReadonlyMap<ProviderName, Instant> =>
  new Map(
    [...breakers.states()].flatMap(([provider, breaker]) =>
      breaker.kind === 'closed' ? [] : [[provider, breaker.openedAt] as const],
    ),
  )
