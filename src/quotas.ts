/** The quotas of tenants: what applies to each, and who has used up one. */
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { DEFAULT_QUOTAS, type QuotasOf, quotasBy } from './domain/access/quotas.ts'
import { type AlertDeps, raiseAlert } from './flows/alerts/raise.ts'
import type { Engines } from './ports/engines.ts'
import { Unavailable } from './ports/unavailable.ts'
import type { Opening } from './profiles/profile.ts'
import { QuotaWatch, type QuotaWatchDeps } from './workers/quota-watch.ts'

export type OpenQuotas = Readonly<{ quotasOf: QuotasOf; sendQuotas: QuotaWatch }>

export function openQuotas(
  { config, clock, opened }: Opening,
  { usage, tenants }: Pick<Engines, 'usage' | 'tenants'>,
  alerts: AlertDeps,
  logger: Logger,
): OpenQuotas {
  const quotasOf = quotasBy((tenantId) => tenants.of(tenantId), defaultsOf(config))
  const onFault = (error: unknown): void => {
    if (!(error instanceof Unavailable)) logger.error({ err: error }, 'quota: unexpected error')
  }
  const onReached: QuotaWatchDeps['onReached'] = (reached) => raiseAlert(alerts, reached, clock())
  return { quotasOf, sendQuotas: opened.use(new QuotaWatch({ usage, quotasOf, clock, onReached, onFault })) }
}

const defaultsOf = ({ maxWaiting, maxStoredBytes }: Config): typeof DEFAULT_QUOTAS => ({
  ...DEFAULT_QUOTAS,
  waitingMessages: maxWaiting,
  storedBytes: maxStoredBytes ?? Number.POSITIVE_INFINITY,
})
