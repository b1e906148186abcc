/** Refuses what a tenant has no room for: additions to its set-up, and messages. */
import type { MessageQuota, QuotasOf } from '../../domain/access/quotas.ts'
import type { TenantId } from '../../domain/ids.ts'
import { seconds } from '../../lib/time.ts'
import type { SetupUsage, Usage } from '../../ports/usage.ts'
import { type Refusal, refuse, SendQuotaExceeded } from '../errors.ts'

export type SetupQuotaDeps = Readonly<{ quotasOf: QuotasOf; usage: Pick<Usage, 'setup'> }>

const SETUP_WORDS: Readonly<Record<keyof SetupUsage, string>> = {
  limits: 'limits',
  templates: 'templates',
  routes: 'routes',
  endpoints: 'endpoints',
  recipients: 'recipients',
}

/** An addition found no room: says how much is used now. */
export async function setupQuotaExceeded(
  { quotasOf, usage }: SetupQuotaDeps,
  tenantId: TenantId,
  quota: keyof SetupUsage,
): Promise<Refusal> {
  const used = (await usage.setup(tenantId))[quota]
  return quotaExceeded(SETUP_WORDS[quota], quotasOf(tenantId)[quota], used)
}

/** `what` are the things that are counted, such as `templates`. */
export const quotaExceeded = (what: string, limit: number, used: number): Refusal =>
  refuse('QUOTA_EXCEEDED', `The quota of ${limit} ${what} is reached, with ${used} in use; delete one first`)

/** A quota of messages of which nothing is left. */
export type UsedUp = Readonly<{ quota: MessageQuota; limit: number; used: number }>

export type SendQuotas = Readonly<{
  /** Answered from memory: every message asks. */
  usedUp: (tenantId: TenantId) => UsedUp | undefined
}>

/** Without quotas, everything is accepted. */
export type SendQuotaDeps = Readonly<{ sendQuotas?: SendQuotas }>

/** Waiting messages are sent sooner or later; what is stored stays until it is deleted. */
const RETRY_AFTER = { waitingMessages: seconds(10), storedBytes: undefined } as const

export const sendQuotaExceeded = ({ quota, limit, used }: UsedUp): SendQuotaExceeded =>
  new SendQuotaExceeded(
    quota === 'waitingMessages'
      ? `The quota of ${limit} waiting messages is reached, with ${used} waiting to be sent`
      : `The quota of ${limit} bytes for stored messages is reached, with ${used} in use`,
    RETRY_AFTER[quota],
  )
