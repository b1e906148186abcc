/** Logs that a tenant uses most of a quota: one line among all processes that notice it. */
import type { Logger } from 'pino'
import type { MessageQuota } from '../domain/access/quotas.ts'
import { QUOTA_FIELDS } from '../domain/access/tenant-fields.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Clock } from '../lib/clock.ts'
import { later, seconds } from '../lib/time.ts'
import type { RoundLock } from '../ports/round-lock.ts'
import { Unavailable } from '../ports/unavailable.ts'

export type QuotaWarning = Readonly<{ tenantId: TenantId; quota: MessageQuota; limit: number; used: number }>

export type QuotaLoggerDeps = Readonly<{ rounds: RoundLock; clock: Clock; logger: Logger }>

/** The processes that send for a tenant notice it within moments of each other. */
const SAME_WARNING = seconds(-60)

export const quotaLogger =
  ({ rounds, clock, logger }: QuotaLoggerDeps) =>
  async ({ tenantId, quota: name, limit, used }: QuotaWarning): Promise<void> => {
    const quota = QUOTA_FIELDS[name]
    const now = clock()
    const begun = await rounds
      .begin(`quota ${quota} ${tenantId}`, now, later(now, SAME_WARNING))
      .catch((error: unknown) => exceptOutages(error, now))
    if (begun === undefined) return
    logger.warn({ tenant_id: tenantId, quota, limit, used }, 'quota: the tenant uses most of it')
  }

/** Said twice is better than not at all. */
function exceptOutages<Value>(error: unknown, otherwise: Value): Value {
  if (!(error instanceof Unavailable)) throw error
  return otherwise
}
