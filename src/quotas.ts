/** The quotas of tenants: what applies to each, and who has used up one. */
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { DEFAULT_QUOTAS, type QuotasOf, quotasBy } from './domain/access/quotas.ts'
import { quotaLogger } from './observe/quota-logger.ts'
import type { Engines } from './ports/engines.ts'
import { Unavailable } from './ports/unavailable.ts'
import type { Opening } from './profiles/profile.ts'
import { QuotaWatch } from './workers/quota-watch.ts'

export type OpenQuotas = Readonly<{ quotasOf: QuotasOf; sendQuotas: QuotaWatch }>

export function openQuotas(
  { config, clock, opened }: Opening,
  { usage, tenants, rounds }: Pick<Engines, 'usage' | 'tenants' | 'rounds'>,
  logger: Logger,
): OpenQuotas {
  const quotasOf = quotasBy((tenantId) => tenants.of(tenantId), defaultsOf(config))
  const onFault = (error: unknown): void => {
    if (!(error instanceof Unavailable)) logger.error({ err: error }, 'quota: unexpected error')
  }
  const warn = quotaLogger({ rounds, clock, logger })
  const onWarning = (warning: Parameters<typeof warn>[0]): void => void warn(warning).catch(onFault)
  return { quotasOf, sendQuotas: opened.use(new QuotaWatch({ usage, quotasOf, clock, onWarning, onFault })) }
}

const defaultsOf = ({ maxWaiting, maxStoredBytes }: Config): typeof DEFAULT_QUOTAS => ({
  ...DEFAULT_QUOTAS,
  waitingMessages: maxWaiting,
  storedBytes: maxStoredBytes ?? Number.POSITIVE_INFINITY,
})
